// An envelope `p3394/1.0`, the newer form of a message. The recipient or the metadata name the capability, and the
// first JSON part is the input; otherwise the first JSON part contains both.
// Invariant: every envelope is answered with an envelope.
import { z } from 'zod'
import { defined } from '../../core/defined.ts'
import { toDaybookError, invalidInput } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { parseWith } from '../../core/schema.ts'
import { formatTime } from '../../core/time.ts'
import {
  type MessageContext,
  messageId,
  messageMetadata,
  messageTime,
  runCapability,
} from './run-capability.ts'
import { memoryAgent } from './transport.ts'

export const specVersion = 'p3394/1.0'

const nameText = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => text.trim() !== '', 'is blank')
/** Maximum characters of a part's text, and of its data as JSON. */
const maxLengths = { text: 128_000, data: 256_000 } as const
const json = (maxLength: number) =>
  z
    .unknown()
    .refine(
      (value) => JSON.stringify(value ?? null).length <= maxLength,
      `is more than ${maxLength} characters`,
    )
const partySchema = z.looseObject({
  agent_id: nameText,
  alias: nameText.optional(),
  capability_id: nameText.optional(),
  channel_instance_id: nameText.optional(),
  /** The agents that authorized this one, each by the one before. */
  delegation: z.array(nameText).max(16).optional(),
})
/** The content of a part: one of these fields. A missing one is an error at the first. */
const contentFields = {
  text: ['text'],
  json: ['data'],
  control: ['data'],
  resource: ['uri', 'data'],
  artifact: ['uri', 'data'],
  image: ['uri', 'data'],
  audio: ['uri', 'data'],
} as const
type PartType = keyof typeof contentFields
const partSchema = z
  .looseObject({
    type: z.enum(Object.keys(contentFields) as [PartType, ...PartType[]]),
    text: z.string().max(maxLengths.text).optional(),
    data: json(maxLengths.data).optional(),
    uri: nameText.optional(),
    media_type: nameText.optional(),
    digest: nameText.optional(),
    name: nameText.optional(),
  })
  .superRefine((part, context) => {
    const fields: readonly [string, ...string[]] = contentFields[part.type]
    if (fields.every((field) => part[field] === undefined))
      context.addIssue({
        code: 'custom',
        path: [fields[0]],
        message: `is missing in a part of type ${part.type}`,
      })
  })
const envelopeSchema = z.looseObject({
  spec_version: z.literal(specVersion),
  message_id: messageId,
  session_id: nameText.optional(),
  task_id: nameText.optional(),
  timestamp: messageTime.optional(),
  kind: z.literal('message', 'is not supported: a memory answers messages'),
  performative: z.literal('request', 'is not supported: a memory answers requests'),
  role: z.enum(['requester', 'responder', 'observer']).optional(),
  sender: partySchema,
  recipients: z.array(partySchema).min(1).max(128),
  payload: z.looseObject({
    parts: z.array(partSchema).min(1).max(64),
    metadata: messageMetadata.optional(),
  }),
  reply_to: nameText.optional(),
  traceparent: nameText.optional(),
  extensions: messageMetadata.optional(),
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
  /** The answer's own: to take it twice has no effect. */
  readonly idempotency_key: string
  readonly traceparent?: string
}

/** True for a message of the newer form, in any version. */
export const isEnvelope = (message: unknown): boolean => isJsonObject(message) && 'spec_version' in message

/**
 * Answers an envelope. Its `idempotency_key`, or otherwise its id, is the request id: an envelope sent twice takes
 * effect once.
 */
export async function answerEnvelope(message: unknown, at: MessageContext): Promise<AnswerEnvelope> {
  const validFields = readValidFields(message)
  const id = at.newId()
  const answer = (isSuccess: boolean, data: unknown): AnswerEnvelope => ({
    spec_version: specVersion,
    message_id: id,
    idempotency_key: id,
    ...defined({ session_id: validFields.session_id }),
    kind: isSuccess ? 'message' : 'error',
    performative: isSuccess ? 'response' : 'error',
    role: 'responder',
    timestamp: formatTime(at.now()),
    sender: { agent_id: validFields.to ?? memoryAgent },
    recipients: validFields.from === undefined ? [] : [{ agent_id: validFields.from }],
    payload: {
      parts: [{ type: 'json', data }],
      ...defined({ metadata: validFields.metadata }),
    },
    reply_to: validFields.message_id ?? null,
    ...defined({ traceparent: validFields.traceparent }),
  })
  try {
    const parsed = parseWith(envelopeSchema, message)
    const from = {
      agent: parsed.sender.agent_id,
      ...defined({ session: parsed.session_id }),
    }
    const requestId = parsed.idempotency_key ?? parsed.message_id
    return answer(true, await runCapability({ ...capabilityCallOf(parsed), requestId, from }, at))
  } catch (error) {
    const { code, message: text, retry, details } = toDaybookError(error)
    return answer(false, { code, message: text, retry, details })
  }
}

export const envelopeSender = (message: unknown): string | undefined => readValidFields(message).from

/** Returns the fields of an envelope that its answer needs. An invalid field is undefined. */
function readValidFields(message: unknown) {
  const ifValid = <Value>(shape: z.ZodType<Value>, value: unknown) => shape.safeParse(value).data
  const { message_id, session_id, traceparent, sender, recipients, payload } = isJsonObject(message)
    ? message
    : {}
  return {
    message_id: ifValid(messageId, message_id),
    session_id: ifValid(nameText, session_id),
    traceparent: ifValid(nameText, traceparent),
    metadata: isJsonObject(payload) ? ifValid(messageMetadata, payload['metadata']) : undefined,
    from: ifValid(partySchema, sender)?.agent_id,
    to: ifValid(z.array(partySchema).min(1).max(128), recipients)?.[0]?.agent_id,
  }
}

/** Returns the capability and the input of an envelope. Throws `invalid-input`. */
function capabilityCallOf({ recipients, payload }: z.output<typeof envelopeSchema>) {
  const { parts, metadata } = payload
  const partIndex = parts.findIndex(({ type }) => type === 'json')
  if (partIndex < 0)
    throw invalidInput('payload.parts', 'A part of type `json` is needed, to call a capability')
  const { data } = parts[partIndex] ?? {}
  const outerCapability = recipients[0]?.capability_id ?? capabilityIdIn(metadata)
  if (outerCapability !== undefined) return { capability: outerCapability, input: data }
  const innerCapability = capabilityIdIn(data)
  const input = isJsonObject(data) ? data['arguments'] : undefined
  if (innerCapability !== undefined) return { capability: innerCapability, input }
  throw invalidInput(`payload.parts.${partIndex}.data`, 'has no `capability_id`, nor has its recipient')
}

function capabilityIdIn(value: unknown): string | undefined {
  const capabilityId = isJsonObject(value) ? value['capability_id'] : undefined
  return typeof capabilityId === 'string' ? capabilityId : undefined
}
