// The kind `inbox`: a message for an agent, sent by another agent or at the edge; sync brings it to the devices.
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { canonicalTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'

const instant = z.string().refine((text) => canonicalTime(text) === text, 'is not a canonical UTC time')
const sound = (text: string) => text.isWellFormed()
const name = z.string().min(1).max(1000).refine(sound, 'is not well-formed Unicode')

/** The fields that the sender sets. */
export const inboxContent = {
  /** The receiver. Absent: every agent of the book. */
  to: name.optional(),
  subject: z.string().max(1000).refine(sound, 'is not well-formed Unicode').optional(),
  text: z.string().min(1).max(16_000).refine(sound, 'is not well-formed Unicode'),
  /** Data for programs, at most 65,536 bytes as JSON. */
  data: z.record(z.string(), z.json()).refine(isSmall, 'is larger than 65,536 bytes').optional(),
}

export const inboxBody = z.strictObject({
  ...inboxContent,
  from: name,
  sentAt: instant,
  expiresAt: instant.optional(),
  /** Agents that got the message. Only grows, and merges as a set. */
  deliveredTo: z.array(name).max(1000),
  /** Agents that have dealt with the message. Only grows, and merges as a set. */
  acknowledgedBy: z.array(name).max(1000),
})
export type InboxBody = z.output<typeof inboxBody>

export const inboxKind: Kind<'inbox', InboxBody> = {
  name: 'inbox',
  plural: 'inbox',
  summary: 'A message for an agent, with its sender, its text, and the agents that got it.',
  version: 1,
  schema: inboxBody,
  text: ['subject', 'text'],
  facets: { happened_at: 'sentAt', actor: 'from', subject: 'to' },
  scopedBy: 'subject',
  policy: 'merge',
  expires: 'expiresAt',
  idPrefix: 'inbox::',
  speaker: { path: 'from', listenerFields: ['deliveredTo', 'acknowledgedBy'] },
  // Another agent's words are not a memory of this agent.
  recallable: () => false,
  embed: false,
}

const dataBytes = 65_536

function isSmall(data: object): boolean {
  return utf8Length(JSON.stringify(data)) <= dataBytes
}
