// The kind `message`: one message of a person or an agent. A message never changes after it is stored, except that it
// may be archived. Also links lines of a history to stored messages, for records derived from the history.
// Invariant: a line is the message with its id (`msg_id` or record id). Without an id, or if none matches, the line
// is every message of the agent with the same content, and the same time if the line has one. A line without a
// message has keys that identify it when its message arrives.
import { awaitedKey, type Kind, whenField } from '../../../core/kind.ts'
import { source, sourceInput, speakerRole, speakerTrust } from '../../../shape/source.ts'
import { z } from 'zod'
import { instant, instantOrDay } from '../../../shape/field.ts'
import { recordHead } from '../../../shape/record-head.ts'
import { isMessageLength, maxMessageBytes } from '../../../core/text/message-length.ts'
import type { ReadContext } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { messageName } from './conversation-scope.ts'
import type { HistoryLine } from './history.ts'

/** A longer message is an error and is never cut. */
const content = z
  .string()
  .max(maxMessageBytes)
  .refine(isMessageLength, `has more than ${maxMessageBytes} bytes in UTF-8`)

const metadata = z.record(z.string(), z.unknown())

/** A message as callers send it. Without `id`, it has no name. Without `timestamp`, its time is now. */
export const messageInput = z.strictObject({
  /** The sender's name for the message; stored as `msg_id`. */
  id: z.string().max(1000).optional(),
  content,
  source: sourceInput.default({}),
  target_agent: z.string().max(1000).nullish(),
  timestamp: instantOrDay.optional(),
  metadata: metadata.default({}),
})
export type MessageInput = z.output<typeof messageInput>

const messageBody = z.looseObject({
  /** The sender's name for the message, unique for one agent; empty without a name. */
  msg_id: z.string().max(1000).default(''),
  content: content.min(1),
  source: source.default({}),
  timestamp: instant,
  metadata: metadata.default({}),
  /** Time of archiving. An archived message is stored, but out of recall and lists. */
  archived_at: instant.optional(),
  // A message may also have `target_agent`, the agent that it is for; see `messageInput`.
})
type MessageBody = z.output<typeof messageBody>

/** Shape of a record of this chapter as callers read it: head and body on one level. */
export const storedShape = <Name extends string, Shape extends z.ZodRawShape>(
  kind: Name,
  body: z.ZodObject<Shape>,
) => z.looseObject({ ...body.shape, ...recordHead, kind: z.literal(kind) })

export const messageRecord = storedShape('message', messageBody)
export type Message = z.output<typeof messageRecord>

export type RecordsContext = Pick<ReadContext<'records'>, 'records'>

/** Fields by which a line is matched to messages. */
interface LineFields extends Pick<HistoryLine, 'content'> {
  readonly id?: string | undefined
  readonly timestamp?: string | undefined
}

/** Most messages that the lines of a history match by content. */
export const maxContentMatches = 1000

/**
 * Keys of a line of `agent` for which no message is stored yet: episodes and profiles wait under them
 * (`awaits` in core/kind.ts). A line without a time has a key without one.
 */
export function lineKeys(agent: string, { id, content, timestamp = '' }: LineFields): string[] {
  const contentKey = awaitedKey('said', agent, content.trim(), timestamp)
  return id ? [awaitedKey('id', agent, id), contentKey] : [contentKey]
}

/** Keys of the lines that the message `body` of `agent` matches: with and without its time, with and without its id. */
function messageKeys({ msg_id: id, content, timestamp }: Partial<MessageBody>, agent: string): string[] {
  if (typeof content !== 'string') return []
  return [...lineKeys(agent, { content }), ...lineKeys(agent, { id, content, timestamp })]
}

/** Returns a function from a line to the ids of its messages. */
export function createMessageFinder(
  { records }: RecordsContext,
  agent: string,
  lines: readonly LineFields[],
) {
  const idByName = new Map(
    lines.flatMap(({ id }) => (id ? [[id, findMessageId(records, agent, id)] as const] : [])),
  )
  // A longer line can't be a stored message.
  const contents = lines.flatMap(({ id, content }) =>
    (id && idByName.get(id)) || content.trim() === '' || !isMessageLength(content) ? [] : [content],
  )
  const filters = { agent, content: { in: [...new Set(contents)] } }
  const messages =
    contents.length === 0 ? [] : records.query({ kind: 'message', filters, limit: maxContentMatches }).records
  const byContent = Map.groupBy(messages, ({ content }) => String(content))
  return ({ id, content, timestamp }: LineFields): string[] => {
    const messageId = id && idByName.get(id)
    if (messageId) return [messageId]
    const sameContent = byContent.get(content) ?? []
    return sameContent
      .filter((message) => timestamp === undefined || message['timestamp'] === timestamp)
      .map((message) => message.id)
  }
}

/** Id of the message with this `msg_id` or record id; undefined without one. */
function findMessageId(records: RecordsContext['records'], agent: string, id: string): string | undefined {
  const record = records.find(messageName(agent, id))
  if (record) return record.id
  return records.get(id)?.kind === 'message' ? id : undefined
}

export const messageKind: Kind<'message', MessageBody> = {
  name: 'message',
  idPrefix: 'message::',
  summary: 'One message of a conversation: who said what, when.',
  version: 1,
  schema: messageBody,
  // Day and speaker help to find a message; the type of the speaker would only add noise.
  text: [whenField, 'source.name', 'source.id', 'content'],
  facets: { happened_at: 'timestamp', actor: 'source.id', name: 'msg_id' },
  roleOf: (body) => speakerRole((body as Partial<MessageBody>).source),
  trustOf: (body) => speakerTrust((body as Partial<MessageBody>).source),
  // Records that wait for this message find it by these keys.
  awaitedAs: messageKeys,
  policy: 'last_write_wins',
  // A consolidation of the persona's days archives a message.
  expires: 'archived_at',
}

/** The messages of `ids` that the caller can read, without duplicates, in the order of `ids`. */
export function readableMessages(
  { records }: { readonly records: Pick<RecordReader, 'get'> },
  ids: readonly string[],
): Message[] {
  return [...new Set(ids)].flatMap((id) => {
    const record = records.get(id)
    return record?.kind === 'message' ? [record as unknown as Message] : []
  })
}
