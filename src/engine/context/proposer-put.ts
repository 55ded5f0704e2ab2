// What an agent has proposed it does not put into the state in which it was decided, by whatever verb and under whatever role.
import { DaybookError } from '../../core/errors.ts'
import { type JsonObject, readPath } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'
import { isAlikeAgent } from '../../core/text/fold-agent.ts'
import { isOwnersToDecide, type Kind } from '../../core/kind.ts'

/**
 * Throws where `agent`, in its owner's name too and by whatever verb, would put what it has proposed into a state that the
 * owner alone decides, or change what is in one.
 */
export function checkNotProposer(
  kind: Kind,
  body: JsonObject,
  before: { readonly body: JsonObject; readonly isUnread?: boolean } | undefined,
  agent: string,
): void {
  const { proposedBy: path } = kind
  if (path === undefined || !kind.ownerOnly) return
  const stands = before && !before.isUnread ? before.body : undefined
  const isProposer = [body, stands].some((one) => one && isAlike(readPath(one, path), agent))
  if (!isProposer || (stands && sameJson(body, stands))) return
  if (isOwnersToDecide(kind, body, before && { body: stands })) throw proposerError(agent, 'body')
}

/** No other spelling of its name makes a proposer another agent. */
export function isAlike(one: unknown, agent: string): boolean {
  return typeof one === 'string' && isAlikeAgent(one, agent)
}

export function proposerError(agent: string, path: string): DaybookError {
  return new DaybookError(
    'forbidden',
    `\`${agent}\` has proposed it, and decides nothing about it: somebody else must.`,
    { details: { path, reason: 'proposer' } },
  )
}
