// The first messages on the socket of a shared book: a process sends `join`. `refuse` is the owner's answer
// to a wrong join (OwnerMessage in book/share/line-message.ts). Afterwards both sides speak as tabs do; this
// file also checks those messages of a process.
// Invariant: `join` and `refuse` have the same shape in every version, so that different versions can part
// cleanly.
import { z } from 'zod'
import { checkCallOptions } from '../../../book/call-options.ts'
import type { FollowerMessage } from '../../../book/share/line-message.ts'
import { parseWith } from '../../../core/schema.ts'
import { schemaVersion } from '../../../store/schema/schema.ts'

/** The first number grows when messages change, the second with the schema of the book. */
export const processVersion = [1, schemaVersion] as const

const name = z.string().min(1).max(1000)
const count = z.number().int().min(0)

const join = z.object({
  type: z.literal('join'),
  version: z.tuple([count, count]),
  /**
   * Names the process; unique for ever. 32 hex digits, then `.` and the number of its first call (`tabOf`), which is
   * always 0 for a process.
   */
  process: z.string().regex(/^[0-9a-f]{32}\.0$/, 'is not the name of a process'),
  /**
   * Id of the file that it wants (`fileIdOf`). If a book was copied with its note (`<book>.socket`), the note
   * leads to the owner of the original; that owner then refuses.
   */
  file: z.string().max(100),
  scope: z.object({ agent: name, session: name.optional(), resource: name.optional() }),
  /** True: each commit waits for the disk (`durability: 'strict'`). */
  strict: z.boolean(),
  /** Opens the keys of a book that has a passphrase. */
  passphrase: z.string().min(1).max(1024).optional(),
  /**
   * True: an earlier owner served this process. Its passphrase may then be an old one, which is no error, and it
   * opens no keys after `seal.lock`.
   */
  isBack: z.boolean().optional(),
  // Each names an option that this process was opened with: its embedder, its mirror, its language model, the size of
  // its room. The options of the owner apply; the status of this process names those that differ.
  embedder: name.optional(),
  mirror: name.optional(),
  llm: name.optional(),
  room: name.optional(),
})

/** The message `join` of a process that wants to share the owner's book. */
export type JoiningProcess = z.output<typeof join>

export const readJoin = (message: unknown): JoiningProcess => parseWith(join, message)

/** `number`: of the call in its process. Further fields are options of the call. */
const call = z.looseObject({ number: count, input: z.unknown().optional() })
const followerMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('call'),
    /** Number of the owner that the message is for. */
    epoch: count,
    /** Id of the verb of all `calls`. */
    id: z.string().max(1000),
    calls: z.array(call).min(1).max(10_000),
    /** All calls below this number are settled; the owner forgets their answers. */
    settled: count,
  }),
  z.strictObject({ type: z.literal('abort'), epoch: count, number: count }),
  // The process gave these calls up, and may repeat them: the owner stores their answers, also after the process ends.
  z.strictObject({ type: z.literal('keep'), epoch: count, numbers: z.array(count).max(100_000) }),
  z.strictObject({ type: z.literal('ping'), epoch: count }),
  z.strictObject({ type: z.literal('leave') }),
])

/** Reads a message of a connected process; throws `invalid-input` for any other. */
export function readFollowerMessage(message: unknown): FollowerMessage {
  const found = parseWith(followerMessage, message) as FollowerMessage
  if (found.type !== 'call') return found
  for (const { number: _number, input: _input, ...options } of found.calls) checkRemoteOptions(options)
  return found
}

/** Refuses a signal and a deadline, which stay with the caller, and wrong options. */
function checkRemoteOptions(options: object): void {
  parseWith(
    z.looseObject({ signal: z.undefined().optional(), deadlineMs: z.undefined().optional() }),
    options,
  )
  checkCallOptions(options)
}
