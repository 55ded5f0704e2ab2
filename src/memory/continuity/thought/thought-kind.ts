// The kind `thought`: an agent's own note of an experience, a lesson or a decision. A memory about a user is of
// another kind, and needs the user's consent.
import { z } from 'zod'
import { type Kind, whenField } from '../../../core/kind.ts'
import { instant } from '../../../shape/field.ts'

export const thoughtTypes = ['experience', 'knowledge', 'decision'] as const
/** Most characters. A longer text is an error and is never cut. */
export const thoughtLimits = { content: 16_000, context: 2000 } as const

export const thoughtBody = z.looseObject({
  type: z.enum(thoughtTypes),
  content: z.string().min(1).max(thoughtLimits.content),
  /** The agent's reason why the thought matters. `importance` of an experience derives from it. */
  context: z.string().max(thoughtLimits.context).optional(),
  /** 0 to 1, set when the thought is stored. A later mark of the record overrides it. */
  importance: z.number().min(0).max(1),
  timestamp: instant,
  /** Time of archiving. An archived thought is stored, but out of recall and default queries. */
  archived_at: instant.optional(),
})
export type ThoughtBody = z.output<typeof thoughtBody>

export const thoughtKind: Kind<'thought', ThoughtBody> = {
  name: 'thought',
  summary: 'A note of an agent for itself: an experience, knowledge or a decision.',
  version: 1,
  schema: thoughtBody,
  text: [whenField, 'content', 'context'],
  fact: 'content',
  facets: { happened_at: 'timestamp', importance: 'importance', action: 'type' },
  policy: 'merge',
  merge: { archived_at: 'min' },
  expires: 'archived_at',
}
