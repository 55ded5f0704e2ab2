// What an agent has proposed, and nobody has approved, it does not store in its owner's name either.
import type { OwnReader } from '../../../core/capability/port/own-port.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { fold } from '../../../core/text/fold.ts'
import { isAlikeAgent } from '../../../core/text/fold-agent.ts'

/** As many of an agent's latest proposals are looked at. */
const lookedAt = 1000
const approved: ReadonlySet<unknown> = new Set(['approved', 'edited'])

/** Throws `forbidden` where the caller's agent has proposed this text, and it is not approved. */
export function checkNotProposed(
  { own, call: { scope } }: { readonly own: Pick<OwnReader, 'query'>; readonly call: CallPort },
  content: string | undefined,
  path = 'content',
): void {
  if (content === undefined) return
  const ofAgent = own.query({ kind: 'proposal', filters: { by: scope.agent }, limit: lookedAt }).records
  // The agent may have proposed it under another spelling of its name.
  const latest = own
    .query({ kind: 'proposal', limit: lookedAt })
    .records.filter(({ by }) => typeof by === 'string' && isAlikeAgent(by, scope.agent))
  const text = fold(content.trim())
  const isOpen = [...ofAgent, ...latest].some(
    ({ content: said, status }) =>
      typeof said === 'string' && !approved.has(status) && fold(said.trim()) === text,
  )
  if (!isOpen) return
  throw new DaybookError(
    'forbidden',
    `\`${scope.agent}\` has proposed this, and decides nothing about it: somebody else must.`,
    { details: { path, reason: 'proposer' } },
  )
}
