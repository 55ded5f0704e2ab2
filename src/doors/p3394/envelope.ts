// An envelope `p3394/1.0`, the newer form of a message: its first part that is JSON names a capability and what it is given, or
// its recipient or metadata name the capability and that part is what it is given. Invariant: an envelope is answered with one.
import { z } from 'zod'
import { toDaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { parseWith } from '../../core/schema.ts'
import { formatTime } from '../../core/time.ts'
import { type MessageCall, messageId, messageMetadata, runCapability, wrong } from './run-capability.ts'

export const specVersion = 'p3394/1.0'

const name = z.string().min(1).max(256)
/** Most characters of a text, and of the JSON of a part. */
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
  kind: z.literal('message', 'is nothing that a memory does: it answers messages'),
  performative: z.literal('request', 'is nothing that a memory does: it answers requests'),
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

/** True for what says that it is of the newer form, in whichever version. */
export const isEnvelope = (given: unknown): boolean => isJsonObject(given) && 'spec_version' in given

/** Answers `given`. Its `idempotency_key`, or else its id, is the id of the request: sent twice, done once. */
export async function answerEnvelope(given: unknown, at: MessageCall): Promise<AnswerEnvelope> {
  const heard = soundParts(given)
  const answer = (isDone: boolean, data: unknown): AnswerEnvelope => ({
    spec_version: specVersion,
    message_id: at.newId(),
    ...(heard.session_id === undefined ? {} : { session_id: heard.session_id }),
    kind: isDone ? 'message' : 'error',
    performative: isDone ? 'response' : 'error',
    role: 'responder',
    timestamp: formatTime(at.now()),
    sender: { agent_id: heard.to ?? 'kstar-memory' },
    recipients: heard.from === undefined ? [] : [{ agent_id: heard.from }],
    payload: {
      parts: [{ type: 'json', data }],
      ...(heard.metadata === undefined ? {} : { metadata: heard.metadata }),
    },
    reply_to: heard.message_id ?? null,
    ...(heard.traceparent === undefined ? {} : { traceparent: heard.traceparent }),
  })
  try {
    const asked = parseWith(envelope, given)
    const from = {
      agent: asked.sender.agent_id,
      ...(asked.session_id === undefined ? {} : { session: asked.session_id }),
    }
    const requestId = asked.idempotency_key ?? asked.message_id
    return answer(true, await runCapability({ ...askedFor(asked), requestId, from }, at))
  } catch (error) {
    const { code, message, retry, details } = toDaybookError(error)
    return answer(false, { code, message, retry, details })
  }
}

/** As much of an envelope, whatever else is wrong with it, as its answer is addressed by and carries back. */
function soundParts(given: unknown) {
  const found = <Value>(shape: z.ZodType<Value>, value: unknown) => shape.safeParse(value).data
  const { message_id, session_id, traceparent, sender, recipients, payload } = isJsonObject(given)
    ? given
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

function askedFor({ recipients, payload }: z.output<typeof envelope>) {
  const { parts, metadata } = payload
  const at = parts.findIndex(({ type }) => type === 'json')
  if (at < 0) throw wrong('payload.parts', 'one of type `json` is wanted, to ask for a capability')
  const { data } = parts[at] ?? {}
  const named = recipients[0]?.capability_id ?? namedIn(metadata)
  if (named !== undefined) return { capability: named, input: data }
  const inner = namedIn(data)
  const input = isJsonObject(data) ? data['arguments'] : undefined
  if (inner !== undefined) return { capability: inner, input }
  throw wrong(`payload.parts.${at}.data`, 'names no `capability_id`, nor does its recipient')
}

function namedIn(value: unknown): string | undefined {
  const named = isJsonObject(value) ? value['capability_id'] : undefined
  return typeof named === 'string' ? named : undefined
}
