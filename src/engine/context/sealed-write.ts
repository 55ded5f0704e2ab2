// Writes records from elsewhere that are sealed: opened where the key is, else stored as they are.
// Invariant: a record that can't be read here is never taken for another one, and never lost silently.
import type { Guest } from '../../core/capability/caller.ts'
import type { OpaqueVersion, SealedWriter } from '../../core/capability/port/record-port.ts'
import type { Changed } from '../../core/capability/service.ts'
import { DaybookError } from '../../core/errors.ts'
import { fitsHead, sealedOf } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { outside } from './guest-write.ts'
import { headFromElsewhere } from './put-record.ts'
import type { SeenRecords } from './seen-records.ts'

export interface SealedWriterParts {
  readonly store: Pick<BookStore, 'records' | 'bodies' | 'conflicts' | 'stamps'>
  readonly now: string
  readonly changed: Changed[]
  readonly guest: Guest | undefined
  readonly idsOf: SeenRecords['idsOf']
}

export function createSealedWriter(parts: SealedWriterParts): SealedWriter {
  const { now, changed, guest, idsOf } = parts
  const { records, bodies, conflicts, stamps } = parts.store
  /** A guest can't read these records, and brings none in. */
  const checkOwner = () => {
    if (guest) throw outside()
  }
  const find = (id: string): OpaqueVersion | undefined => {
    const row = records.row(id)
    const sealed = row?.deleted === 0 ? sealedOf(row.body) : undefined
    if (!row || !sealed || bodies.read(row, row.body)) return undefined
    return { kind: row.kind, agent: row.agent, updated_at: row.updated_at, sealed }
  }
  return {
    open: (owner, sealed) => bodies.readSealed(owner, sealed),
    find: (id) => (guest ? undefined : find(id)),
    idOf(name) {
      const { possible, own } = idsOf(name)
      const isOwn = (one: OpaqueVersion | undefined) =>
        one?.kind === name.kind && (!guest || one.agent === guest.agent)
      return [...new Set([...possible, ...own])].find((id) => isOwn(find(id)))
    },
    put({ kind, id, enc, scope, times }) {
      checkOwner()
      const { created_at, updated_at: at } = times
      const stamp = enc.head?.stamp ?? stamps.next()
      // The mirror would reject it.
      if (!fitsHead({ stamp, ...scope }, enc))
        throw new DaybookError(
          'invalid-file',
          `\`${id}\`: Its head is not the one that its body is sealed to.`,
          {
            details: { path: id },
          },
        )
      const head = headFromElsewhere({ ...scope, stamp }, records.row(id), undefined)
      records.put({ op: 'put', kind, id, at, created_at, ...head, enc })
      changed.push({ id, kind })
    },
    lose(entry) {
      checkOwner()
      conflicts.add({ ...entry, state: 'settled', at: now })
    },
  }
}
