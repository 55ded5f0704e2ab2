// The older form of a P3394 message that calls a capability, and its answer. The destination names the capability, as
// an object or an address such as `p3394://kstar-memory/store_trace`; or a `tool_call` in the content does.
// Invariant: every message is answered with one message to its sender: a response or an error.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import { toDaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { parseWith } from '../../core/schema.ts'
import { formatTime } from '../../core/time.ts'
import { findSeedShape } from '../seed-shape/seed-shape.ts'
import { type MessageCall, messageId, messageMetadata, runCapability, wrong } from './run-capability.ts'

const name = z.string().min(1).max(1000)
const address = z.union([
  z.looseObject({ agent_id: name, capability_id: name.optional(), session_id: name.optional() }),
  name,
])
const toolCall = z.looseObject({ capability_id: name, arguments: z.record(z.string(), z.unknown()) })
const message = z.looseObject({
  id: messageId,
  type: z.enum(['request', 'notification']).default('request'),
  source: address.optional(),
  destination: address,
  content: z.array(z.looseObject({ type: name, data: z.unknown().optional() })).min(1),
})

interface Address {
  readonly agent_id: string
  readonly capability_id?: string | undefined
  readonly session_id?: string | undefined
}

export interface AnswerMessage {
  readonly id: string
  readonly type: 'response' | 'error'
  readonly timestamp: string
  readonly reply_to: string | null
  readonly source: Address
  readonly destination: Address | null
  readonly content: readonly [{ readonly type: 'json'; readonly data: unknown }]
  /** Repeats the field of the message. */
  readonly session_id?: string
  readonly conversation_id?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Returns the fields of a message that its answer repeats. Leaves out invalid fields. */
function repeatedFields(
  message: unknown,
): Pick<AnswerMessage, 'session_id' | 'conversation_id' | 'metadata'> {
  const { session_id, conversation_id, metadata } = isJsonObject(message) ? message : {}
  const [session, conversation] = [session_id, conversation_id].map((one) => name.safeParse(one).data)
  const own = messageMetadata.safeParse(metadata).data
  return defined({ session_id: session, conversation_id: conversation, metadata: own })
}

/** Answers a message. Its id is the request id: a message sent twice takes effect once. */
export async function answerMessage(sent: unknown, at: MessageCall): Promise<AnswerMessage> {
  let head = validParts(sent)
  const answer = (type: AnswerMessage['type'], data: unknown): AnswerMessage => ({
    id: at.newId(),
    type,
    timestamp: formatTime(at.now()),
    reply_to: head.id ?? null,
    source: { agent_id: head.to?.agent_id ?? 'kstar-memory' },
    destination: head.from ?? null,
    content: [{ type: 'json', data }],
    ...repeatedFields(sent),
  })
  try {
    const request = readRequest(sent)
    head = request
    const { id } = request
    const { capability, input } = contentOf(request)
    const data = await runCapability({ capability, input, requestId: id }, at)
    return answer('response', data)
  } catch (error) {
    const { code, message: text, details } = toDaybookError(error)
    return answer('error', { code, message: text, details })
  }
}

interface MessageRequest {
  readonly id: string
  readonly from: Address | undefined
  readonly to: Address
  readonly content: z.output<typeof message>['content']
}

/** Parses a whole message before the capability runs. Throws `invalid-input`. */
function readRequest(sent: unknown): MessageRequest {
  const { id, source, destination, content } = parseWith(message, sent)
  const from = source === undefined ? undefined : readAddress(source, 'source')
  const { agent_id = '', session_id } = from ?? {}
  return {
    id,
    from: from && { agent_id, ...defined({ session_id }) },
    to: readAddress(destination, 'destination'),
    content,
  }
}

/** Returns the fields of a message that its answer needs. Leaves out invalid fields. */
function validParts(sent: unknown): Partial<MessageRequest> {
  const { id, source, destination } = isJsonObject(sent) ? sent : {}
  const part = (one: object) => {
    try {
      return readRequest({ id: 'none', destination: 'p3394://none', content: [{ type: 'none' }], ...one })
    } catch {
      return undefined
    }
  }
  const named = part({ id })
  const from = part({ source })?.from
  const to = part({ destination })?.to
  return { ...(named ? { id: named.id } : {}), from, ...(to ? { to } : {}) }
}

/** Returns the capability and the input of a message. Throws `invalid-input`. */
function contentOf({ to, content }: MessageRequest): {
  readonly capability: string
  readonly input: unknown
} {
  const { capability_id: named } = to
  const [first] = content
  if (first?.type === 'tool_call') {
    const { capability_id, arguments: input } = parseWith(z.object({ content: z.tuple([toolCall]) }), {
      content: [first.data],
    }).content[0]
    return { capability: capability_id, input }
  }
  if (first?.type !== 'json')
    throw wrong('content.0.type', '`json` or `tool_call` is needed, to call a capability')
  if (named === undefined)
    throw wrong('destination.capability_id', 'is missing, and the content is no tool_call')
  return { capability: named, input: first.data }
}

/**
 * Parses an address: `p3394://agent/capability?session=name`, or an object with these fields. Throws `invalid-input`.
 */
function readAddress(sent: z.output<typeof address>, path: string): Address {
  if (typeof sent !== 'string') return sent
  const match = /^p3394:\/\/([^/?#]+)(?:\/([^?#]*))?(?:\?session=([^#]*))?$/.exec(sent)
  if (!match) throw wrong(path, 'is not an address such as p3394://kstar-memory/store_trace')
  const [, agent_id = '', capability, session] = match
  return {
    agent_id,
    ...(capability ? { capability_id: findSeedShape(capability)?.names[0] ?? capability } : {}),
    ...(session ? { session_id: session } : {}),
  }
}
