// What the verbs of the pool take and give, and whose name they speak in.
import { z } from 'zod'
import { countedAs } from '../../../core/capability/caller.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { parseTime } from '../../../core/time.ts'
import { poolLimits } from '../../../shape/envelope.ts'
import { openScene, type Scene, type SceneParts } from '../take/pool-context.ts'

export const id = z.string().min(1).max(poolLimits.id)
export const text = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((said) => said.trim() !== '', 'is empty')
    .refine((said) => said.isWellFormed(), 'is not well-formed Unicode')
export const tags = z.array(text(poolLimits.tag)).max(poolLimits.tags)
export const part = text(poolLimits.part)
export const limit = z.number().int().min(1).max(1000).default(100)
export const cursor = z.string().max(40_000).optional()

export const taken = z.object({
  result: z.enum(['accepted', 'duplicate', 'stale', 'conflict', 'ignored', 'rejected']),
  reason: z.string(),
  waits: z.literal(true).optional(),
})

/** The pool as the transaction of a call sees it. */
export function sceneOf(at: Omit<SceneParts, 'now'> & { readonly call: CallPort }): Scene {
  return openScene({ records: at.records, pool: at.pool, now: parseTime(at.call.now) ?? 0 })
}

/** Whoever calls speaks for itself. */
export const agentOf = ({ caller, scope }: CallPort): string =>
  caller.role === 'guest' ? caller.agent : scope.agent

/** Whoever votes or says that it is there. A delegate does neither: a guest would have as many voices as it grants tokens. */
export function voiceOf(call: CallPort): string {
  const { caller, scope } = call
  const agent = agentOf(call)
  if (countedAs(caller, scope.agent) === agent || caller.role === 'owner') return agent
  throw new DaybookError('forbidden', `\`${agent}\` has no voice of its own in the pool: its holder has.`, {
    details: { path: 'agent', reason: 'delegate' },
  })
}
