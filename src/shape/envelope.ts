// The envelope of the knowledge pool, version 1. Claws (agents of the pool) exchange proposals, votes, decisions,
// facts, presence and capabilities (here: abilities that a claw announces in its own words) in it.
// Invariant: the signature covers the canonical form of the whole envelope without the signature, unknown members
// included. The pool stores and forwards the text as it arrived: a parsed envelope may differ from the signed one, because
// it spells claws and votes canonically.
import { z } from 'zod'
import { plainMessage, valueAt } from '../core/plain-issue.ts'
import { envelopeTypes } from '../core/pool.ts'
import { strictCanonicalText } from '../core/text/canonical-json.ts'
import { foldName } from '../core/text/fold.ts'
import { canonicalTime } from '../core/time.ts'

/** Most bytes of an envelope as UTF-8, with its signature. */
export const envelopeLimit = 65_536

/** Most characters of texts, and most items of lists. */
export const poolLimits = {
  id: 200,
  statement: 2000,
  title: 300,
  reason: 1000,
  part: 2000,
  tags: 32,
  tag: 64,
  capabilities: 200,
  capability: 200,
  ballots: 500,
  keys: 20,
  revoked: 100,
} as const

/** A required text that is not blank. */
const word = (most: number) =>
  z
    .string()
    .min(1, 'is required')
    .max(most, `is longer than ${most} characters`)
    .refine((text) => text.trim() !== '', 'is required')
    .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')
const id = word(poolLimits.id)
/** Name of a claw, converted to its canonical spelling. */
const claw = id.transform(foldName).pipe(id)
const time = z.string().refine((text) => canonicalTime(text) !== undefined, 'is not an ISO 8601 date or time')
/** Empty means absent: some programs send it. */
const optionalText = (most: number) => word(most).or(z.literal('')).optional()
const count = z.number().int().min(0).max(1_000_000)
const version = z.number().int().max(1_000_000_000)
const tags = z.array(word(poolLimits.tag)).max(poolLimits.tags).nullish()
const part = word(poolLimits.part)
const vote = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(['yes', 'no'], { error: 'must be yes or no' }))

/** The fact that an approved proposal becomes. */
const proposedFact = z.looseObject({
  factId: id,
  version: version.min(1),
  subject: part,
  predicate: part,
  object: part,
})

/** A vote that a decision counted. `n`: its number among the votes of the claw on the proposal; the highest number counts. */
export const countedBallot = z.looseObject({ clawId: claw, vote, n: count })

/** The payload of each type. `group`: the group of claws that votes. `n` of a vote: as in `countedBallot`. */
export const payloads = {
  proposal: z.looseObject({
    proposalId: id,
    group: id,
    title: optionalText(poolLimits.title),
    statement: word(poolLimits.statement),
    tags,
    expiresAt: time.optional(),
    fact: proposedFact.optional(),
  }),
  vote: z.looseObject({ proposalId: id, vote, reason: optionalText(poolLimits.reason), n: count.optional() }),
  decision: z.looseObject({
    proposalId: id,
    outcome: z.enum(['approved', 'rejected', 'expired'], { error: 'must be approved, rejected or expired' }),
    yes: count,
    no: count,
    reason: optionalText(poolLimits.reason),
    /** Only for a decision by majority: how many `yes` or how many `no` votes decide. */
    quorum: count.optional(),
    /** The claws that were active at the count. */
    active: z.array(claw).max(poolLimits.ballots).optional(),
    ballots: z.array(countedBallot).max(poolLimits.ballots).optional(),
  }),
  fact: z.looseObject({
    factId: id,
    group: id,
    subject: part,
    predicate: part,
    object: part,
    version,
    source: claw,
    proposalId: id.optional(),
    decisionId: id.optional(),
    tags,
    publishedAt: time.optional(),
  }),
  /** The proposer withdraws a proposal, and with it everything that followed from the proposal. */
  withdrawal: z.looseObject({ proposalId: id }),
  presence: z.looseObject({
    group: id.optional(),
    status: z.enum(['active', 'stopping'], { error: 'must be active or stopping' }),
    displayName: optionalText(poolLimits.id),
    updatedAt: time.optional(),
  }),
  capabilities: z.looseObject({
    group: id.optional(),
    displayName: optionalText(poolLimits.id),
    model: optionalText(poolLimits.id),
    capabilities: z.array(word(poolLimits.capability)).max(poolLimits.capabilities),
    /** `did:key` of each device that may sign for the claw. */
    keys: z.array(word(200)).max(poolLimits.keys).optional(),
    updatedAt: time.optional(),
  }),
} as const
export type Payloads = { readonly [Type in keyof typeof payloads]: z.output<(typeof payloads)[Type]> }

const signature = z.strictObject({
  /** `did:key` of an Ed25519 key. */
  key: word(200),
  /** Signature of 64 bytes, in base64url. */
  value: z.string().length(86, 'is not 64 bytes in base64url'),
})

/**
 * Head of an envelope, in the order in which the fields are checked. `traceId`: connects the envelopes about
 * one proposal. `idempotencyKey`: a second envelope of the claw with this key is a duplicate. `instanceId`:
 * run of the engine that sent it.
 */
const head = {
  schemaVersion: id,
  type: id,
  traceId: id,
  timestamp: word(64),
  idempotencyKey: word(500),
  clawId: claw,
  instanceId: id,
}
const headNames = Object.keys(head) as (keyof typeof head)[]

interface EnvelopeHead {
  readonly schemaVersion: 'v1'
  readonly traceId: string
  readonly timestamp: string
  readonly idempotencyKey: string
  readonly clawId: string
  readonly instanceId: string
  readonly signature?: z.output<typeof signature> | undefined
}
export type EnvelopeV1 = {
  [Type in keyof Payloads]: EnvelopeHead & { readonly type: Type; readonly payload: Payloads[Type] }
}[keyof Payloads]
/** An envelope to send, before it is signed. */
export type EnvelopeDraft = {
  [Type in keyof Payloads]: Omit<EnvelopeHead, 'signature'> & {
    readonly type: Type
    readonly payload: z.input<(typeof payloads)[Type]>
  }
}[keyof Payloads]

/**
 * Fields of an envelope for the audit log, also of an invalid one. Each is empty unless it is a text, and shortened
 * if it is long.
 */
export interface EnvelopeTrail {
  readonly type: string
  readonly claw: string
  readonly instance: string
  /** The idempotency key. */
  readonly key: string
  readonly trace: string
}

export type EnvelopeReading =
  | { readonly envelope: EnvelopeV1; readonly trail: EnvelopeTrail; readonly refused?: undefined }
  | { readonly refused: string; readonly trail: EnvelopeTrail }

/** Parses a JSON value as an envelope. `refused`: the first error, as a sentence for people. */
export function readEnvelope(value: unknown): EnvelopeReading {
  const fields: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  const trail = trailOf(fields)
  for (const name of headNames) {
    const { error } = head[name].safeParse(fields[name])
    if (!error) continue
    const isThere = fields[name] !== undefined && fields[name] !== null && fields[name] !== ''
    return { trail, refused: isThere ? issueText(name, error, fields[name]) : `${name} is required` }
  }
  const { schemaVersion, type } = fields
  if (schemaVersion !== 'v1') return { trail, refused: `unsupported schemaVersion: ${cut(schemaVersion)}` }
  const knownType = envelopeTypes.find((one) => one === type)
  if (!knownType) return { trail, refused: `unsupported type: ${cut(type)}` }
  if (canonicalTime(String(fields['timestamp'])) === undefined)
    return { trail, refused: 'timestamp is not an ISO 8601 date or time' }
  const signed = signature.optional().safeParse(fields['signature'] ?? undefined)
  if (!signed.success) return { trail, refused: issueText('signature', signed.error, fields['signature']) }
  const payload = payloads[knownType].safeParse(fields['payload'])
  if (!payload.success) {
    const isThere = fields['payload'] !== undefined && fields['payload'] !== null
    return {
      trail,
      refused: isThere ? issueText('', payload.error, fields['payload']) : 'payload is required',
    }
  }
  const clawId = foldName(String(fields['clawId']))
  const envelope = {
    ...fields,
    clawId,
    signature: signed.data,
    payload: payload.data,
  } as unknown as EnvelopeV1
  return { trail, envelope }
}

/** The beginning of a text. A half of a surrogate pair at the cut becomes U+FFFD. */
const cut = (value: unknown, length = 40) => String(value).slice(0, length).toWellFormed()

function trailOf(fields: Readonly<Record<string, unknown>>): EnvelopeTrail {
  const text = (name: string) => {
    const value = fields[name]
    return typeof value === 'string' ? cut(value, poolLimits.id) : ''
  }
  return {
    type: cut(text('type')),
    claw: cut(foldName(text('clawId')), poolLimits.id),
    instance: text('instanceId'),
    key: text('idempotencyKey'),
    trace: text('traceId'),
  }
}

/** Text of the first error, such as `proposalId is required` or `tags.3 is longer than 64 characters`. */
function issueText(within: string, { issues: [issue] }: z.ZodError, value: unknown): string {
  const parts = issue?.path.map(String) ?? []
  const path = [within, ...parts].filter((name) => name !== '').join('.')
  const found = valueAt(value, parts)
  const isMissing = issue?.code === 'invalid_type' && found === undefined
  const message = isMissing ? 'is required' : issue ? plainMessage(issue, found) : 'is not valid'
  return cut(`${path === '' ? 'payload' : path}${/^[A-Z]/.test(message) ? ':' : ''} ${message}`, 300)
}

/**
 * Returns the text that the signature covers: the canonical form of the envelope without the signature. To sign or
 * verify, pass the envelope as it is sent or received: a parsed one has other spellings, so its text may differ.
 */
export function signedEnvelopeText(envelope: object): string {
  const { signature: _signature, ...signed } = envelope as { signature?: unknown }
  return strictCanonicalText(signed)
}

/** Returns the order key of an envelope: a carrier delivers envelopes with the same key in order. */
export function orderKey({ type, payload, clawId }: Pick<EnvelopeV1, 'type' | 'payload' | 'clawId'>): string {
  if (type === 'fact') return (payload as Payloads['fact']).factId
  if (type === 'presence' || type === 'capabilities') return clawId
  return (payload as Payloads['proposal']).proposalId
}
