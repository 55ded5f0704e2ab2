// The older form of a P3394 message that calls a capability, and its answer. The destination names the capability, as
// an object or an address such as `p3394://kstar-memory/store_trace`; or a `tool_call` in the content does.
// Invariant: every message is answered with one message to its sender: a response or an error.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import { toDaybookError, invalidInput } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { parseWith } from '../../core/schema.ts'
import { formatTime } from '../../core/time.ts'
import { findSeedShape } from '../seed-shape/seed-shape.ts'
import {
  type MessageContext,
  messageId,
  messageMetadata,
  messageTime,
  runCapability,
} from './run-capability.ts'
import { memoryAgent } from './transport.ts'

const nameText = z.string().min(1).max(1000)
const addressSchema = z.union([
  z.looseObject({ agent_id: nameText, capability_id: nameText.optional(), session_id: nameText.optional() }),
  nameText,
])
const toolCallSchema = z.looseObject({
  capability_id: nameText,
  arguments: z.record(z.string(), z.unknown()),
})
const messageSchema = z.looseObject({
  id: messageId,
  type: z.enum(['request', 'notification']).default('request'),
  timestamp: messageTime.optional(),
  source: addressSchema.optional(),
  destination: addressSchema,
  content: z.array(z.looseObject({ type: nameText, data: z.unknown().optional() })).min(1),
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
  /** An address of the form that the message used: a URI, or an object. */
  readonly source: Address | string
  readonly destination: Address | string | null
  readonly content: readonly [{ readonly type: 'json'; readonly data: unknown }]
  /** Repeats the field of the message. */
  readonly session_id?: string
  readonly conversation_id?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Returns the fields of a message that its answer repeats. Leaves out invalid fields. */
function echoedFields(message: unknown): Pick<AnswerMessage, 'session_id' | 'conversation_id' | 'metadata'> {
  const { session_id, conversation_id, metadata } = isJsonObject(message) ? message : {}
  const [session, conversation] = [session_id, conversation_id].map((text) => nameText.safeParse(text).data)
  const validMetadata = messageMetadata.safeParse(metadata).data
  return defined({ session_id: session, conversation_id: conversation, metadata: validMetadata })
}

/** Answers a message. Its id is the request id: a message sent twice takes effect once. */
export async function answerMessage(rawMessage: unknown, at: MessageContext): Promise<AnswerMessage> {
  let validFields = readValidFields(rawMessage)
  const answer = (type: AnswerMessage['type'], data: unknown): AnswerMessage => ({
    id: at.newId(),
    type,
    timestamp: formatTime(at.now()),
    reply_to: validFields.id ?? null,
    ...answeredAddresses(rawMessage, validFields),
    content: [{ type: 'json', data }],
    ...echoedFields(rawMessage),
  })
  try {
    const request = parseRequest(rawMessage)
    // The whole message is valid.
    validFields = request
    const { id } = request
    const { capability, input } = capabilityCallOf(request)
    const data = await runCapability({ capability, input, requestId: id }, at)
    return answer('response', data)
  } catch (error) {
    const { code, message: text, details } = toDaybookError(error)
    return answer('error', { code, message: text, details })
  }
}

/** The addresses of an answer, each in the form of the message. */
function answeredAddresses(
  rawMessage: unknown,
  { from, to }: Partial<MessageRequest>,
): Pick<AnswerMessage, 'source' | 'destination'> {
  const { source, destination } = isJsonObject(rawMessage) ? rawMessage : {}
  const agent = to?.agent_id ?? memoryAgent
  return {
    source: to && typeof destination === 'string' ? `p3394://${agent}` : { agent_id: agent },
    destination: from && typeof source === 'string' ? source : (from ?? null),
  }
}

interface MessageRequest {
  readonly id: string
  readonly from: Address | undefined
  readonly to: Address
  readonly content: z.output<typeof messageSchema>['content']
}

/** Parses a whole message before the capability runs. Throws `invalid-input`. */
function parseRequest(rawMessage: unknown): MessageRequest {
  const { id, source, destination, content } = parseWith(messageSchema, rawMessage)
  const from = source === undefined ? undefined : parseAddress(source, 'source')
  const { agent_id = '', session_id } = from ?? {}
  return {
    id,
    from: from && { agent_id, ...defined({ session_id }) },
    to: parseAddress(destination, 'destination'),
    content,
  }
}

export const messageSender = (rawMessage: unknown): string | undefined =>
  readValidFields(rawMessage).from?.agent_id

/** Returns the fields of a message that its answer needs. Leaves out invalid fields. */
function readValidFields(rawMessage: unknown): Partial<MessageRequest> {
  const { id, source, destination } = isJsonObject(rawMessage) ? rawMessage : {}
  /** Parses one field, with valid values for the required others. */
  const parseAlone = (field: object) => {
    try {
      return parseRequest({ id: 'none', destination: 'p3394://none', content: [{ type: 'none' }], ...field })
    } catch {
      return undefined
    }
  }
  const withId = parseAlone({ id })
  const from = parseAlone({ source })?.from
  const to = parseAlone({ destination })?.to
  return { ...(withId ? { id: withId.id } : {}), from, ...(to ? { to } : {}) }
}

/** Returns the capability and the input of a message. Throws `invalid-input`. */
function capabilityCallOf({ to, content }: MessageRequest): {
  readonly capability: string
  readonly input: unknown
} {
  const { capability_id: addressedCapability } = to
  const [first] = content
  if (first?.type === 'tool_call') {
    const { capability_id, arguments: input } = parseWith(z.object({ content: z.tuple([toolCallSchema]) }), {
      content: [first.data],
    }).content[0]
    return { capability: capability_id, input }
  }
  if (first?.type !== 'json')
    throw invalidInput('content.0.type', '`json` or `tool_call` is needed, to call a capability')
  if (addressedCapability === undefined)
    throw invalidInput('destination.capability_id', 'is missing, and the content is no tool_call')
  return { capability: addressedCapability, input: first.data }
}

/**
 * Parses an address: `p3394://agent/capability?session=name`, or an object with these fields. Throws `invalid-input`.
 */
function parseAddress(rawAddress: z.output<typeof addressSchema>, path: string): Address {
  if (typeof rawAddress !== 'string') return rawAddress
  const match = /^p3394:\/\/([^/?#]+)(?:\/([^?#]*))?(?:\?session=([^#]*))?$/.exec(rawAddress)
  if (!match) throw invalidInput(path, 'is not an address such as p3394://kstar-memory/store_trace')
  const [, agent_id = '', capability, session] = match
  return {
    agent_id,
    ...(capability ? { capability_id: findSeedShape(capability)?.names[0] ?? capability } : {}),
    ...(session ? { session_id: session } : {}),
  }
}
