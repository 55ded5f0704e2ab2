// Shared shapes of the pool's verbs, and the agent that a call speaks for.
import { z } from 'zod'
import { countedAs } from '../../../core/capability/caller.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { parseTime } from '../../../core/time.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { openContext, type PoolContext, type PoolContextDeps } from '../take/pool-context.ts'

export const id = z.string().min(1).max(poolLimits.id)
export const boundedText = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((value) => value.trim() !== '', 'is empty')
    .refine((value) => value.isWellFormed(), 'is not well-formed Unicode')
export const tags = z.array(boundedText(poolLimits.tag)).max(poolLimits.tags)
export const factPart = boundedText(poolLimits.part)

export const takeInResult = z.object({
  result: z.enum(['accepted', 'duplicate', 'stale', 'conflict', 'ignored', 'rejected']),
  reason: z.string(),
  /** The envelope is judged when the envelope arrives that it depends on, or when the wait ends. */
  waits: z.literal(true).optional(),
})

/** The pool context of a call. */
export function poolContextOf(at: Omit<PoolContextDeps, 'now'> & { readonly call: CallPort }): PoolContext {
  return openContext({ records: at.records, pool: at.pool, now: parseTime(at.call.now) ?? 0 })
}

/** The agent that a call speaks for. It may propose; `votingAgent` says who may vote. */
export const callingAgent = ({ caller, scope }: CallPort): string =>
  caller.role === 'guest' ? caller.agent : scope.agent

/**
 * The agent that votes or announces. Throws `forbidden` for a delegate: else a guest could grant more tokens to get
 * more votes.
 */
export function votingAgent(call: CallPort): string {
  const { caller, scope } = call
  const agent = callingAgent(call)
  if (countedAs(caller, scope.agent) === agent || caller.role === 'owner') return agent
  throw new DaybookError(
    'forbidden',
    `\`${agent}\` can't act in the pool: its token comes from another agent's. Use that agent.`,
    {
      details: { path: 'agent', reason: 'delegate' },
    },
  )
}
