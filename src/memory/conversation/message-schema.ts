// The shape of a message: who said what, when. Sources come in several spellings and are kept in one.
import { z } from 'zod'
import { instant } from '../../shape/instant.ts'
import { recordHead } from '../../shape/record-head.ts'

/** Most characters of one message. Longer ones are refused, never cut. */
export const contentLimit = 16_000

const speakerName = z.string().max(1000)

/** Who speaks, as it is stored: `{ type: 'User', id, name }`; nothing in it when nobody said. */
export const source = z.looseObject({
  type: z.string().max(200).optional(),
  id: speakerName.optional(),
  name: speakerName.optional(),
})
export type Source = z.output<typeof source>

const types = ['User', 'Agent', 'System'] as const
const roles: Readonly<Record<string, string>> = {
  user: 'User',
  human: 'User',
  agent: 'Agent',
  assistant: 'Agent',
  system: 'System',
}

/** Who speaks, as callers write it: the stored form, `{ User: 'u-1' }`, or the bare role `user`. */
export const sourceInput = z
  .union([z.string().max(1000), z.record(z.string(), z.unknown())])
  .transform((given, context): Source => {
    if (typeof given === 'string') {
      const type = roles[given.toLowerCase()]
      return type ? { type } : given === '' ? {} : { id: given }
    }
    const tag = types.find((type) => Object.keys(given).length === 1 && Object.hasOwn(given, type))
    const value = tag === undefined ? given : tagged(tag, given[tag])
    const parsed = source.safeParse(value)
    if (parsed.success) return parsed.data
    for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message })
    return z.NEVER
  })

function tagged(type: string, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return { type }
  return typeof value === 'object' ? { type, ...value } : { type, id: value }
}

const metadata = z.record(z.string(), z.unknown())

/** A message as callers send it. Without `id` it has no name of its own; without `timestamp` it is said now. */
export const messageInput = z.strictObject({
  id: z.string().max(1000).optional(),
  content: z.string().max(contentLimit),
  source: sourceInput.default({}),
  target_agent: speakerName.nullish(),
  timestamp: instant.optional(),
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
})
export type MessageBody = z.output<typeof messageBody>

/** A record of this room as it comes back: its head and, on the same level, its body. */
export const stored = <Name extends string, Shape extends z.ZodRawShape>(
  kind: Name,
  body: z.ZodObject<Shape>,
) => z.looseObject({ ...body.shape, ...recordHead, kind: z.literal(kind) })

export const message = stored('message', messageBody)
export type Message = z.output<typeof message>
