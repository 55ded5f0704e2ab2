// Checks that a proposer never decides about its own proposal, by any verb and in any role. Without these checks, an
// agent on its owner's book could approve its own proposal.
import { type JsonObject, readPath, sameJson } from '../../core/json/path.ts'
import { DaybookError } from '../../core/errors.ts'
import { isOwnersToDecide, type Kind } from '../../core/kind.ts'
import { isAlikeAgent } from '../../core/text/fold.ts'
import type { AnyCapability } from '../../core/capability/capability.ts'
import type { CallPort } from '../../core/capability/context.ts'
import type { BookStore } from '../../store/book-store.ts'

/** The fields of `Call` (call.ts) that this check needs. */
interface DecidingCall {
  readonly capability: Pick<AnyCapability, 'decides'>
  readonly decided?: readonly string[]
  readonly port: Pick<CallPort, 'caller' | 'scope'>
}

/**
 * Throws `forbidden` if `call` decides about a record that the caller's agent proposed. Call it only inside the
 * transaction that decides.
 */
export function checkProposer(
  { records, bodies, kinds }: Pick<BookStore, 'records' | 'bodies' | 'kinds'>,
  { capability, decided = [], port: { caller, scope } }: DecidingCall,
): void {
  const agent = caller.role === 'guest' ? caller.agent : scope.agent
  const isProposer = (id: string) => {
    const row = records.row(id)
    if (!row || row.deleted) return false
    const path = kinds.get(row.kind)?.proposedBy
    return isSameAgent(
      path === undefined ? row.agent : readPath(bodies.readOrThrow(row, row.body), path),
      agent,
    )
  }
  if (decided.some(isProposer)) throw proposerError(agent, capability.decides?.path ?? '')
}

/**
 * Throws `forbidden` if `agent` sets a state that only the owner decides on its own proposal, or changes its own
 * proposal in such a state.
 */
export function checkNotProposer(
  kind: Kind,
  body: JsonObject,
  before: { readonly body: JsonObject; readonly isUnread?: boolean } | undefined,
  agent: string,
): void {
  const { proposedBy: path } = kind
  if (path === undefined || !kind.ownerOnly) return
  const stored = before && !before.isUnread ? before.body : undefined
  const isProposer = [body, stored].some((one) => one && isSameAgent(readPath(one, path), agent))
  if (!isProposer || (stored && sameJson(body, stored))) return
  if (isOwnersToDecide(kind, body, before && { body: stored })) throw proposerError(agent, 'body')
}

/** True also for two spellings of the same agent's name. */
function isSameAgent(one: unknown, agent: string): boolean {
  return typeof one === 'string' && isAlikeAgent(one, agent)
}

function proposerError(agent: string, path: string): DaybookError {
  return new DaybookError('forbidden', `\`${agent}\` has proposed it: somebody else must decide about it.`, {
    details: { path, reason: 'proposer' },
  })
}
