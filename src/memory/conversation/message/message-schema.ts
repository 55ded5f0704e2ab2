// The shape of a message: who said what, when.
import { z } from 'zod'
import { instant, instantOrDay } from '../../../shape/instant.ts'
import { recordHead } from '../../../shape/record-head.ts'
import { source, sourceInput } from '../../../shape/source.ts'

/** Most characters of one message. Longer ones are refused, never cut. */
export const contentLimit = 16_000

const metadata = z.record(z.string(), z.unknown())

/** A message as callers send it. Without `id` it has no name of its own; without `timestamp` it is said now. */
export const messageInput = z.strictObject({
  id: z.string().max(1000).optional(),
  content: z.string().max(contentLimit),
  source: sourceInput.default({}),
  target_agent: z.string().max(1000).nullish(),
  timestamp: instantOrDay.optional(),
  metadata: metadata.default({}),
})
export type MessageInput = z.output<typeof messageInput>

/** The body of a stored message. Its agent, session and resource stand in the record's head. */
export const messageBody = z.looseObject({
  /** The name that its sender gave it, unique for one agent; empty when it has none. */
  msg_id: z.string().max(1000).default(''),
  content: z.string().min(1).max(contentLimit),
  source: source.default({}),
  timestamp: instant,
  metadata: metadata.default({}),
  /** Since then it is out of recall and lists, and kept. */
  archived_at: instant.optional(),
})
export type MessageBody = z.output<typeof messageBody>

/** A record of this chapter as it comes back: its head and, on the same level, its body. */
export const stored = <Name extends string, Shape extends z.ZodRawShape>(
  kind: Name,
  body: z.ZodObject<Shape>,
) => z.looseObject({ ...body.shape, ...recordHead, kind: z.literal(kind) })

export const message = stored('message', messageBody)
export type Message = z.output<typeof message>
