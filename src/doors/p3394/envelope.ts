// An envelope `p3394/1.0`, the newer form of a message. The recipient or the metadata name the capability, and the
// first JSON part is the input; otherwise the first JSON part contains both.
// Invariant: every envelope is answered with an envelope.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import { toDaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { parseWith } from '../../core/schema.ts'
import { formatTime } from '../../core/time.ts'
import { type MessageCall, messageId, messageMetadata, runCapability, wrong } from './run-capability.ts'

export const specVersion = 'p3394/1.0'

const name = z.string().min(1).max(256)
/** Maximum characters of a part's text, and of its data as JSON. */
const limits = { text: 128_000, data: 256_000 } as const
const json = (most: number) =>
  z
    .unknown()
    .refine((value) => JSON.stringify(value ?? null).length <= most, `is more than ${most} characters`)
const end = z.looseObject({ agent_id: name, alias: name.optional(), capability_id: name.optional() })
const part = z.looseObject({
  type: z.enum(['text', 'json', 'resource', 'artifact', 'image', 'audio', 'control']),
  text: z.string().max(limits.text).optional(),
  data: json(limits.data).optional(),
})
const envelope = z.looseObject({
  spec_version: z.literal(specVersion),
  message_id: messageId,
  session_id: name.optional(),
  kind: z.literal('message', 'is not supported: a memory answers messages'),
  performative: z.literal('request', 'is not supported: a memory answers requests'),
  sender: end,
  recipients: z.array(end).min(1).max(128),
  payload: z.looseObject({
    parts: z.array(part).min(1).max(64),
    metadata: messageMetadata.optional(),
  }),
  traceparent: z.string().max(256).optional(),
  idempotency_key: messageId.optional(),
})

interface Party {
  readonly agent_id: string
}

export interface AnswerEnvelope {
  readonly spec_version: typeof specVersion
  readonly message_id: string
  readonly session_id?: string
  readonly kind: 'message' | 'error'
  readonly performative: 'response' | 'error'
  readonly role: 'responder'
  readonly timestamp: string
  readonly sender: Party
  readonly recipients: readonly Party[]
  readonly payload: {
    readonly parts: readonly [{ readonly type: 'json'; readonly data: unknown }]
    readonly metadata?: Readonly<Record<string, unknown>>
  }
  readonly reply_to: string | null
  readonly traceparent?: string
}

/** True for a message of the newer form, in any version. */
export const isEnvelope = (message: unknown): boolean => isJsonObject(message) && 'spec_version' in message

/**
 * Answers an envelope. Its `idempotency_key`, or otherwise its id, is the request id: an envelope sent twice takes
 * effect once.
 */
export async function answerEnvelope(message: unknown, at: MessageCall): Promise<AnswerEnvelope> {
  const valid = validParts(message)
  const answer = (isDone: boolean, data: unknown): AnswerEnvelope => ({
    spec_version: specVersion,
    message_id: at.newId(),
    ...defined({ session_id: valid.session_id }),
    kind: isDone ? 'message' : 'error',
    performative: isDone ? 'response' : 'error',
    role: 'responder',
    timestamp: formatTime(at.now()),
    sender: { agent_id: valid.to ?? 'kstar-memory' },
    recipients: valid.from === undefined ? [] : [{ agent_id: valid.from }],
    payload: {
      parts: [{ type: 'json', data }],
      ...defined({ metadata: valid.metadata }),
    },
    reply_to: valid.message_id ?? null,
    ...defined({ traceparent: valid.traceparent }),
  })
  try {
    const read = parseWith(envelope, message)
    const from = {
      agent: read.sender.agent_id,
      ...defined({ session: read.session_id }),
    }
    const requestId = read.idempotency_key ?? read.message_id
    return answer(true, await runCapability({ ...requestIn(read), requestId, from }, at))
  } catch (error) {
    const { code, message: text, retry, details } = toDaybookError(error)
    return answer(false, { code, message: text, retry, details })
  }
}

/** Returns the fields of an envelope that its answer needs. An invalid field is undefined. */
function validParts(message: unknown) {
  const found = <Value>(shape: z.ZodType<Value>, value: unknown) => shape.safeParse(value).data
  const { message_id, session_id, traceparent, sender, recipients, payload } = isJsonObject(message)
    ? message
    : {}
  return {
    message_id: found(messageId, message_id),
    session_id: found(name, session_id),
    traceparent: found(z.string().max(256), traceparent),
    metadata: isJsonObject(payload) ? found(messageMetadata, payload['metadata']) : undefined,
    from: found(end, sender)?.agent_id,
    to: found(z.array(end).min(1).max(128), recipients)?.[0]?.agent_id,
  }
}

function requestIn({ recipients, payload }: z.output<typeof envelope>) {
  const { parts, metadata } = payload
  const at = parts.findIndex(({ type }) => type === 'json')
  if (at < 0) throw wrong('payload.parts', 'a part of type `json` is needed, to call a capability')
  const { data } = parts[at] ?? {}
  const named = recipients[0]?.capability_id ?? namedIn(metadata)
  if (named !== undefined) return { capability: named, input: data }
  const inner = namedIn(data)
  const input = isJsonObject(data) ? data['arguments'] : undefined
  if (inner !== undefined) return { capability: inner, input }
  throw wrong(`payload.parts.${at}.data`, 'has no `capability_id`, nor has its recipient')
}

function namedIn(value: unknown): string | undefined {
  const named = isJsonObject(value) ? value['capability_id'] : undefined
  return typeof named === 'string' ? named : undefined
}
