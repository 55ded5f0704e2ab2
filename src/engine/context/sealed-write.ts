// Records that come from elsewhere as they were sealed there: opened where the key is, else kept as they are.
// Invariant: what can't be read here is never taken for something else, and never lost without a word.
import type { SealedWriter } from '../../core/capability/record-port.ts'
import type { Changed } from '../../core/capability/service.ts'
import { sealedOf } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'

export interface SealedWriterParts {
  readonly store: Pick<BookStore, 'records' | 'bodies' | 'conflicts' | 'stamps'>
  readonly now: string
  readonly changed: Changed[]
  /** Throws for a guest: what it may not read it does not bring in. */
  readonly checkOwner: () => void
}

export function createSealedWriter({ store, now, changed, checkOwner }: SealedWriterParts): SealedWriter {
  const { records, bodies, conflicts, stamps } = store
  return {
    open: (owner, sealed) => bodies.readSealed(owner, sealed),
    find(id) {
      const row = records.row(id)
      const sealed = row?.deleted === 0 ? sealedOf(row.body) : undefined
      if (!row || !sealed || bodies.read(row, row.body)) return undefined
      return { kind: row.kind, agent: row.agent, updated_at: row.updated_at, sealed }
    },
    put({ kind, id, enc, scope, times }) {
      checkOwner()
      const { created_at, updated_at: at } = times
      records.put({ op: 'put', kind, id, stamp: stamps.next(), at, created_at, ...scope, enc })
      changed.push({ id, kind })
    },
    lose(entry) {
      checkOwner()
      conflicts.add({ ...entry, state: 'settled', at: now })
    },
  }
}
