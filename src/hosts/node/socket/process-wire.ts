// What processes that share a book say first on the socket of the one that holds it; then they speak as tabs do.
// Invariant: the shape of `join` and `refuse` is the same in every version, so that old and new can part in peace.
import { z } from 'zod'
import { checkCallOptions } from '../../../book/call-options.ts'
import type { FollowerMessage } from '../../../book/share/line-message.ts'
import { parseWith } from '../../../core/schema.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import { schemaVersion } from '../../../store/schema/schema.ts'

/** The first grows when the messages change, the second with the schema of the book. */
export const processVersion = [1, schemaVersion] as const

const name = z.string().min(1).max(1000)
const count = z.number().int().min(0)

const join = z.object({
  type: z.literal('join'),
  version: z.tuple([count, count]),
  /** Names the process; no other ever has the same. */
  process: z.string().regex(/^[0-9a-f]{32}\.0$/, 'is not the name of a process'),
  /** The file that it means: one that was copied still leads to the socket of the other. */
  file: z.string().max(100),
  scope: z.object({ agent: name, session: name.optional(), resource: name.optional() }),
  strict: z.boolean(),
  /** Opens the keys of a book that was opened with a passphrase. */
  passphrase: z.string().min(1).max(1024).optional(),
  embedder: name.optional(),
  mirror: name.optional(),
  llm: name.optional(),
  room: name.optional(),
})

/** A process that would like to be served. */
export type JoiningProcess = z.output<typeof join>

export const readJoin = (message: unknown): JoiningProcess => parseWith(join, message)

const call = z.looseObject({ number: count, input: z.unknown().optional() })
const asked = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('call'),
    epoch: count,
    id: z.string().max(1000),
    calls: z.array(call).min(1).max(10_000),
    settled: count,
  }),
  z.strictObject({ type: z.literal('abort'), epoch: count, number: count }),
  z.strictObject({ type: z.literal('keep'), epoch: count, numbers: z.array(count).max(100_000) }),
  z.strictObject({ type: z.literal('ping'), epoch: count }),
  z.strictObject({ type: z.literal('leave') }),
])

/** A message of a process that is served; throws `invalid-input` for what is none. */
export function readFollowerMessage(message: unknown): FollowerMessage {
  const found = parseWith(asked, message) as FollowerMessage
  if (found.type !== 'call') return found
  for (const { number: _number, input: _input, ...options } of found.calls) checkCarried(options)
  return found
}

/** Who waits, and for how long, is kept at the caller's. */
function checkCarried(options: object): void {
  parseWith(
    z.looseObject({ signal: z.undefined().optional(), deadlineMs: z.undefined().optional() }),
    options,
  )
  checkCallOptions(options)
}

/** What happened in the book. */
export interface EventMessage {
  readonly type: 'event'
  readonly epoch: number
  readonly event: BookEvent
}
