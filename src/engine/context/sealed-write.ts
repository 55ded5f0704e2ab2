// Records that come from elsewhere as they were sealed there: opened where the key is, else kept as they are.
// Invariant: what can't be read here is never taken for something else, and never lost without a word.
import type { Guest } from '../../core/capability/caller.ts'
import type { OpaqueVersion, SealedWriter } from '../../core/capability/port/record-port.ts'
import type { Changed } from '../../core/capability/service.ts'
import { DaybookError } from '../../core/errors.ts'
import { fitsHead, sealedOf } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { headFromElsewhere } from './put/put-head.ts'
import type { SeenRecords } from './seen-records.ts'

export interface SealedWriterParts {
  readonly store: Pick<BookStore, 'records' | 'bodies' | 'conflicts' | 'stamps'>
  readonly now: string
  readonly changed: Changed[]
  readonly guest: Guest | undefined
  readonly idsOf: SeenRecords['idsOf']
  /** What a guest is refused with: what it may not read it does not bring in. */
  readonly outside: () => DaybookError
}

export function createSealedWriter(parts: SealedWriterParts): SealedWriter {
  const { now, changed, guest, idsOf } = parts
  const { records, bodies, conflicts, stamps } = parts.store
  const checkOwner = () => {
    if (guest) throw parts.outside()
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
      const { known, own } = idsOf(name)
      const isOwn = (one: OpaqueVersion | undefined) =>
        one?.kind === name.kind && (!guest || one.agent === guest.agent)
      return [...new Set([...known, ...own])].find((id) => isOwn(find(id)))
    },
    put({ kind, id, enc, scope, times }) {
      checkOwner()
      const { created_at, updated_at: at } = times
      const stamp = enc.head?.stamp ?? stamps.next()
      // No mirror takes it otherwise.
      if (!fitsHead({ stamp, ...scope }, enc))
        throw new DaybookError(
          'invalid-file',
          `\`${id}\` says something else than its sealed body is bound to.`,
          { details: { path: id } },
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
