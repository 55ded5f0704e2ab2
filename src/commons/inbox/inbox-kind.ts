// The kind `inbox`: a message for an agent, sent by another agent or at the edge; sync brings it to the devices.
// Invariant: only the agent `from` writes a message. Other agents may change only `deliveredTo` and
// `acknowledgedBy`.
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { canonicalTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'

const canonicalTimeText = z
  .string()
  .refine((text) => canonicalTime(text) === text, 'is not a canonical UTC time')
const isWellFormed = (text: string) => text.isWellFormed()
const agentName = z.string().min(1).max(1000).refine(isWellFormed, 'is not well-formed Unicode')

const maxDataBytes = 65_536

/** The fields that the sender sets. */
export const inboxContent = {
  /** The receiver. Absent: every agent of the book. */
  to: agentName.optional(),
  subject: z.string().max(1000).refine(isWellFormed, 'is not well-formed Unicode').optional(),
  text: z.string().min(1).max(16_000).refine(isWellFormed, 'is not well-formed Unicode'),
  /** Data for programs, at most `maxDataBytes` as JSON. */
  data: z
    .record(z.string(), z.json())
    .refine(isWithinMaxDataBytes, `is larger than ${maxDataBytes.toLocaleString('en')} bytes`)
    .optional(),
}

export const inboxBody = z.strictObject({
  ...inboxContent,
  from: agentName,
  sentAt: canonicalTimeText,
  expiresAt: canonicalTimeText.optional(),
  /** Agents that got the message. Only grows, and merges as a set. */
  deliveredTo: z.array(agentName).max(1000),
  /** Agents that have dealt with the message. Only grows, and merges as a set. */
  acknowledgedBy: z.array(agentName).max(1000),
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
  // Only `from` writes a message; other agents may change only `listenerFields`.
  speaker: { path: 'from', listenerFields: ['deliveredTo', 'acknowledgedBy'] },
  // Another agent's words are not a memory of this agent.
  recallable: false,
  embed: false,
}

function isWithinMaxDataBytes(data: object): boolean {
  return utf8Length(JSON.stringify(data)) <= maxDataBytes
}
