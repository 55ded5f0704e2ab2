// A P3394 message that asks for a capability, and the message that answers it. A destination is an object that names the
// capability, an address such as `p3394://kstar-memory/store_trace`, or an agent whose content is a `tool_call`.
// Invariant: every request is answered with one message, a response or an error, addressed to whoever sent it.
import { z } from 'zod'
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
  /** As the message had them. */
  readonly session_id?: string
  readonly conversation_id?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** What of a message goes back to its sender with the answer, each as far as it is sound. */
function carriedBack(given: unknown): Pick<AnswerMessage, 'session_id' | 'conversation_id' | 'metadata'> {
  const { session_id, conversation_id, metadata } = isJsonObject(given) ? given : {}
  const [session, conversation] = [session_id, conversation_id].map((one) => name.safeParse(one).data)
  const sound = messageMetadata.safeParse(metadata).data
  return {
    ...(session === undefined ? {} : { session_id: session }),
    ...(conversation === undefined ? {} : { conversation_id: conversation }),
    ...(sound === undefined ? {} : { metadata: sound }),
  }
}

/** Answers `given`, a message that came from outside. The id of the message is the id of the request: sent twice, done once. */
export async function answerMessage(given: unknown, at: MessageCall): Promise<AnswerMessage> {
  let asked = soundParts(given)
  const answer = (type: AnswerMessage['type'], data: unknown): AnswerMessage => ({
    id: at.newId(),
    type,
    timestamp: formatTime(at.now()),
    reply_to: asked.id ?? null,
    source: { agent_id: asked.to?.agent_id ?? 'kstar-memory' },
    destination: asked.from ?? null,
    content: [{ type: 'json', data }],
    ...carriedBack(given),
  })
  try {
    const sound = readAsked(given)
    asked = sound
    const { id } = sound
    const { capability, input } = contentOf(sound)
    const data = await runCapability({ capability, input, requestId: id }, at)
    return answer('response', data)
  } catch (error) {
    const { code, message: text, details } = toDaybookError(error)
    return answer('error', { code, message: text, details })
  }
}

interface Asked {
  readonly id: string
  readonly from: Address | undefined
  readonly to: Address
  readonly content: z.output<typeof message>['content']
}

/** Everything about a message that may be wrong, found before anything is done. */
function readAsked(given: unknown): Asked {
  const { id, source, destination, content } = parseWith(message, given)
  const from = source === undefined ? undefined : readAddress(source, 'source')
  const { agent_id = '', session_id } = from ?? {}
  return {
    id,
    from: from && { agent_id, ...(session_id === undefined ? {} : { session_id }) },
    to: readAddress(destination, 'destination'),
    content,
  }
}

/** As much of a message, whatever else is wrong with it, as its answer is addressed by. */
function soundParts(given: unknown): Partial<Asked> {
  const { id, source, destination } = isJsonObject(given) ? given : {}
  const part = (one: object) => {
    try {
      return readAsked({ id: 'none', destination: 'p3394://none', content: [{ type: 'none' }], ...one })
    } catch {
      return undefined
    }
  }
  const named = part({ id })
  const from = part({ source })?.from
  const to = part({ destination })?.to
  return { ...(named ? { id: named.id } : {}), from, ...(to ? { to } : {}) }
}

/** What is asked for, and with what. */
function contentOf({ to, content }: Asked): { readonly capability: string; readonly input: unknown } {
  const { capability_id: named } = to
  const [first] = content
  if (first?.type === 'tool_call') {
    const { capability_id, arguments: input } = parseWith(z.object({ content: z.tuple([toolCall]) }), {
      content: [first.data],
    }).content[0]
    return { capability: capability_id, input }
  }
  if (first?.type !== 'json')
    throw wrong('content.0.type', '`json` or `tool_call` is wanted, to ask for a capability')
  if (named === undefined)
    throw wrong('destination.capability_id', 'is missing, and the content is no tool_call')
  return { capability: named, input: first.data }
}

/** `p3394://agent/capability?session=name`, or the same as an object. */
function readAddress(given: z.output<typeof address>, path: string): Address {
  if (typeof given !== 'string') return given
  const match = /^p3394:\/\/([^/?#]+)(?:\/([^?#]*))?(?:\?session=([^#]*))?$/.exec(given)
  if (!match) throw wrong(path, 'is not an address such as p3394://kstar-memory/store_trace')
  const [, agent_id = '', capability, session] = match
  return {
    agent_id,
    ...(capability ? { capability_id: findSeedShape(capability)?.names[0] ?? capability } : {}),
    ...(session ? { session_id: session } : {}),
  }
}
