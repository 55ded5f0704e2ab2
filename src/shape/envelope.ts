// The envelope by which claws tell each other of proposals, votes, decisions, facts, presence and capabilities, version 1.
// Invariants: what is signed is the canonical form of the whole envelope without its signature, so that members which this
// code does not know are signed, kept and passed on too. An envelope that was read has every claw in its one spelling.
import { z } from 'zod'
import { envelopeTypes } from '../core/pool/pool-carrier.ts'
import { strictCanonicalText } from '../core/text/canonical-json.ts'
import { foldName } from '../core/text/fold-name.ts'
import { canonicalTime } from '../core/time.ts'

/** Most bytes (UTF-8) of an envelope, its signature included. */
export const envelopeLimit = 65_536

/** What of an envelope may be said, longest in characters. */
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

const word = (most: number) =>
  z
    .string()
    .min(1, 'is required')
    .max(most, `is longer than ${most} characters`)
    .refine((text) => text.trim() !== '', 'is required')
    .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')
const id = word(poolLimits.id)
/** Of a claw, in the spelling that it is looked up by. */
const claw = id.transform(foldName).pipe(id)
const time = z.string().refine((text) => canonicalTime(text) !== undefined, 'is not an ISO 8601 date or time')
const said = (most: number) => word(most).or(z.literal('')).optional()
const count = z.number().int().min(0).max(1_000_000)
const version = z.number().int().max(1_000_000_000)
const tags = z.array(word(poolLimits.tag)).max(poolLimits.tags).nullish()
const part = word(poolLimits.part)
const vote = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(['yes', 'no'], { error: 'must be yes or no' }))

/** The fact that a proposal becomes when it is approved. */
const proposedFact = z.looseObject({
  factId: id,
  version: version.min(1),
  subject: part,
  predicate: part,
  object: part,
})

/** A ballot as a decision counts it: which of a claw's votes, and what it was. */
export const countedBallot = z.looseObject({ clawId: claw, vote, n: count })

export const payloads = {
  proposal: z.looseObject({
    proposalId: id,
    group: id,
    title: said(poolLimits.title),
    statement: word(poolLimits.statement),
    tags,
    expiresAt: time.optional(),
    fact: proposedFact.optional(),
  }),
  vote: z.looseObject({ proposalId: id, vote, reason: said(poolLimits.reason), n: count.optional() }),
  decision: z.looseObject({
    proposalId: id,
    outcome: z.enum(['approved', 'rejected', 'expired'], { error: 'must be approved, rejected or expired' }),
    yes: count,
    no: count,
    reason: said(poolLimits.reason),
    quorum: count.optional(),
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
  /** What its proposer takes back, with all that came of it. */
  withdrawal: z.looseObject({ proposalId: id }),
  presence: z.looseObject({
    group: id.optional(),
    status: z.enum(['active', 'stopping'], { error: 'must be active or stopping' }),
    displayName: said(poolLimits.id),
    updatedAt: time.optional(),
  }),
  capabilities: z.looseObject({
    group: id.optional(),
    displayName: said(poolLimits.id),
    model: said(poolLimits.id),
    capabilities: z.array(word(poolLimits.capability)).max(poolLimits.capabilities),
    /** The `did:key`s of the devices that speak for the claw. */
    keys: z.array(word(200)).max(poolLimits.keys).optional(),
    updatedAt: time.optional(),
  }),
} as const
export type Payloads = { readonly [Type in keyof typeof payloads]: z.output<(typeof payloads)[Type]> }

const signature = z.strictObject({
  /** A `did:key` of Ed25519. */
  key: word(200),
  /** base64url, 64 bytes. */
  value: z.string().length(86, 'is not 64 bytes in base64url'),
})

/** The head of an envelope, in the order in which its members are asked for. */
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
/** An envelope that is about to be written, without its signature. */
export type EnvelopeDraft = {
  [Type in keyof Payloads]: Omit<EnvelopeHead, 'signature'> & {
    readonly type: Type
    readonly payload: z.input<(typeof payloads)[Type]>
  }
}[keyof Payloads]

/** What of a refused envelope is told to the audit, as far as it can be read. */
export interface EnvelopeTrail {
  readonly type: string
  readonly claw: string
  readonly instance: string
  readonly key: string
  readonly trace: string
}

export type EnvelopeReading =
  | { readonly envelope: EnvelopeV1; readonly trail: EnvelopeTrail; readonly refused?: undefined }
  | { readonly refused: string; readonly trail: EnvelopeTrail }

/** Reads an envelope that has been parsed from JSON; what is wrong with it is said in words, the first thing first. */
export function readEnvelope(value: unknown): EnvelopeReading {
  const given: Readonly<Record<string, unknown>> =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  const trail = trailOf(given)
  for (const name of headNames) {
    const { error } = head[name].safeParse(given[name])
    if (!error) continue
    const isThere = given[name] !== undefined && given[name] !== null && given[name] !== ''
    return { trail, refused: `${name} ${isThere ? (error.issues[0]?.message ?? '') : 'is required'}` }
  }
  const { schemaVersion, type } = given
  if (schemaVersion !== 'v1') return { trail, refused: `unsupported schemaVersion: ${cut(schemaVersion)}` }
  const known = envelopeTypes.find((one) => one === type)
  if (!known) return { trail, refused: `unsupported type: ${cut(type)}` }
  if (canonicalTime(String(given['timestamp'])) === undefined)
    return { trail, refused: 'timestamp is not an ISO 8601 date or time' }
  const signed = signature.optional().safeParse(given['signature'] ?? undefined)
  if (!signed.success) return { trail, refused: issueText('signature', signed.error) }
  const payload = payloads[known].safeParse(given['payload'])
  if (!payload.success) {
    const isThere = given['payload'] !== undefined && given['payload'] !== null
    return { trail, refused: isThere ? issueText('', payload.error) : 'payload is required' }
  }
  const clawId = foldName(String(given['clawId']))
  const envelope = {
    ...given,
    clawId,
    signature: signed.data,
    payload: payload.data,
  } as unknown as EnvelopeV1
  return { trail, envelope }
}

const cut = (value: unknown) => String(value).slice(0, 40)

function trailOf(given: Readonly<Record<string, unknown>>): EnvelopeTrail {
  const text = (name: string) => {
    const value = given[name]
    return typeof value === 'string' ? value.slice(0, poolLimits.id).toWellFormed() : ''
  }
  return {
    type: text('type').slice(0, 40),
    claw: foldName(text('clawId')).slice(0, poolLimits.id),
    instance: text('instanceId'),
    key: text('idempotencyKey'),
    trace: text('traceId'),
  }
}

/** `proposalId is required`, `tags.3 is longer than 64 characters`. */
function issueText(within: string, { issues: [issue] }: z.ZodError): string {
  const path = [within, ...(issue?.path.map(String) ?? [])].filter((name) => name !== '').join('.')
  const isMissing = issue?.code === 'invalid_type' && issue.message.endsWith('received undefined')
  const message = isMissing ? 'is required' : (issue?.message ?? 'is not valid')
  return `${path === '' ? 'payload' : path} ${message}`.slice(0, 300)
}

/** What of an envelope is signed: the canonical form of everything but the signature. */
export function signedText(envelope: object): string {
  const { signature: _signature, ...signed } = envelope as { signature?: unknown }
  return strictCanonicalText(signed)
}

/** The envelope in clear, and what it is about: envelopes of one such key keep their order on a carrier. */
export function orderKey({ type, payload, clawId }: Pick<EnvelopeV1, 'type' | 'payload' | 'clawId'>): string {
  if (type === 'fact') return (payload as Payloads['fact']).factId
  if (type === 'presence' || type === 'capabilities') return clawId
  return (payload as Payloads['proposal']).proposalId
}
