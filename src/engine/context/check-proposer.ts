// Nobody decides about what it has proposed itself. Invariant: asked inside the transaction that the decision is made in, of
// whoever calls, the owner too: an agent that works with its owner's book would otherwise approve its own proposals.
import { readPath } from '../../core/json/path.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Call } from './call.ts'
import { isAlike, proposerError } from './proposer-put.ts'

/** Throws `forbidden` when the caller's agent has proposed one of the records that `call` decides about. */
export function checkProposer(
  { records, bodies, kinds }: Pick<BookStore, 'records' | 'bodies' | 'kinds'>,
  { capability, decided = [], port: { caller, scope } }: Call,
): void {
  const agent = caller.role === 'guest' ? caller.agent : scope.agent
  const isProposer = (id: string) => {
    const row = records.row(id)
    if (!row || row.deleted) return false
    const path = kinds.get(row.kind)?.proposedBy
    return isAlike(path === undefined ? row.agent : readPath(bodies.need(row, row.body), path), agent)
  }
  if (decided.some(isProposer)) throw proposerError(agent, capability.decides?.path ?? '')
}
