// The kind `thought`: what an agent keeps for itself of what it saw, learned or decided. It is the agent's own account, and
// no memory about a user: those need the user's consent, and are of another kind.
import { z } from 'zod'
import { type Kind, whenField } from '../../../core/kind.ts'
import { instant } from '../../../shape/instant.ts'

export const thoughtTypes = ['experience', 'knowledge', 'decision'] as const
/** Characters. Longer ones are refused, never cut. */
export const thoughtLimit = { content: 16_000, context: 2000 } as const

export const thoughtBody = z.looseObject({
  type: z.enum(thoughtTypes),
  content: z.string().min(1).max(thoughtLimit.content),
  /** Why it matters, in the agent's words; what importance was read from. */
  context: z.string().max(thoughtLimit.context).optional(),
  /** 0 to 1, as the agent said when it kept this; a mark of the record says otherwise later. */
  importance: z.number().min(0).max(1),
  timestamp: instant,
  /** Since then it is out of recall and default queries, and kept. */
  archived_at: instant.optional(),
})
export type ThoughtBody = z.output<typeof thoughtBody>

export const thoughtKind: Kind<'thought', ThoughtBody> = {
  name: 'thought',
  summary: 'What an agent keeps for itself: an experience, knowledge, a decision.',
  version: 1,
  schema: thoughtBody,
  text: [whenField, 'content', 'context'],
  facets: { happened_at: 'timestamp', importance: 'importance', action: 'type' },
  policy: 'merge',
  merge: { archived_at: 'min' },
  expires: 'archived_at',
}
