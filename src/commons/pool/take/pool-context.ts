// The context of the pool's rules: the records and tables of one transaction, and the functions that read and write
// them.
import type { PoolPresence, PoolWritePort } from '../../../core/pool.ts'
import type { RecordWriter } from '../../../core/capability/port/record-port.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { isDaybookError } from '../../../core/errors.ts'
import { bodyOf } from '../../../core/record.ts'
import { isSealing } from '../../../core/sealed.ts'
import { nameHash } from '../../../core/text/text-key.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import {
  type EnvelopeDraft,
  type EnvelopeV1,
  orderKey,
  poolLimits,
  signedEnvelopeText,
} from '../../../shape/envelope.ts'
import { configId, type PoolConfig, configOf } from '../pool-config.ts'
import {
  type BallotBody,
  ballotBody,
  type ClawBody,
  clawBody,
  type DecisionBody,
  decisionBody,
  type PoolFactBody,
  poolFactBody,
  type PoolProposalBody,
  poolProposalBody,
} from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { foldName } from '../../../core/text/fold.ts'
import { clawIdOf, sameClaw } from '../rule/claw-id.ts'
import { isHonestSpeaker, isMemberIn, type RecordSpeaker, type Membership } from './member.ts'
import { activeClaws, believableMs } from '../rule/presence.ts'

export type PoolRecords = Pick<
  RecordWriter,
  'get' | 'put' | 'citing' | 'guarded' | 'rules' | 'wasForgotten' | 'purge'
>

export interface PoolContext {
  readonly records: PoolRecords
  readonly pool: PoolWritePort
  readonly config: PoolConfig
  /** Milliseconds since 1970 UTC. */
  readonly now: number
  /** The claw of the agent that the book was opened for. */
  readonly ownClaw: string
}

/** `now`: milliseconds since 1970 UTC. */
export interface PoolContextDeps {
  readonly records: PoolRecords
  readonly pool: PoolWritePort
  readonly now: number
}

export function openContext({ records, pool, now }: PoolContextDeps): PoolContext {
  const config = configOf(records.rules.get(configId))
  return { records, pool, now, config, ownClaw: clawOfBookAgent(config, pool.self) }
}

/** The claw of the agent that a book was opened for. */
export function clawOfBookAgent(
  { claw }: PoolConfig,
  { agent, book }: { agent: string; book: string },
): string {
  return claw === undefined ? clawIdOf(agent, book) : foldName(claw)
}

/** The claw of an agent of this book. */
export function clawOfAgent(
  { config, pool: { self } }: { readonly config: PoolConfig; readonly pool: Pick<PoolWritePort, 'self'> },
  agent: string,
): string {
  return agent === self.agent ? clawOfBookAgent(config, self) : clawIdOf(agent, self.book)
}

/**
 * The name to show for an agent whose claw is spelled in another way: `Helper@book` for `%48elper@book`. Undefined
 * if both are equal.
 */
export function displayNameOf(
  { config, ownClaw, pool: { self } }: PoolContext,
  agent: string,
): string | undefined {
  const claw = clawOfAgent({ config, pool: { self } }, agent)
  const writtenName =
    sameClaw(claw, ownClaw) && config.claw !== undefined ? config.claw : `${agent}@${self.book}`
  return writtenName === claw ? undefined : writtenName.slice(0, poolLimits.id)
}

export const isOwnClaw = ({ pool, ownClaw }: PoolContext, claw: string): boolean =>
  sameClaw(ownClaw, claw) || pool.isOwn(claw)

export const membershipOf = ({ config, ownClaw, pool, records }: PoolContext): Membership => ({
  config,
  ownClaw,
  pool,
  rules: records.rules,
})

/** True for a member: a claw that counts in this book. */
export const isMember = (context: PoolContext, claw: string): boolean =>
  isMemberIn(membershipOf(context), claw)

/** The presence of members, active or not. */
export function memberPresence(context: PoolContext): PoolPresence[] {
  const knownMembers = new Map<string, boolean>()
  return context.pool.presence().filter(({ claw }) => {
    const isMemberClaw = knownMembers.get(claw) ?? isMember(context, claw)
    knownMembers.set(claw, isMemberClaw)
    return isMemberClaw
  })
}

/** The active members, including this book's own claw. */
export function activeMembers(context: PoolContext): string[] {
  const { pool, ownClaw, now } = context
  const presence = memberPresence(context)
  const ownPresence = {
    claw: ownClaw,
    instance: pool.self.instance,
    at: now,
    status: 'active' as const,
    own: true,
  }
  return activeClaws([...presence.filter(({ claw }) => !sameClaw(claw, ownClaw)), ownPresence], now)
}

interface BodySchema<Shape> {
  safeParse(value: unknown): { data?: Shape | undefined }
}

/**
 * The body of a record. Undefined for another kind or shape, or if an agent of this book speaks in the name of a
 * foreign claw.
 */
function readBody<Shape extends RecordSpeaker>(
  context: PoolContext,
  id: string,
  kind: string,
  schema: BodySchema<Shape>,
): Shape | undefined {
  const record = context.records.get(id)
  const data = record?.kind === kind ? schema.safeParse(bodyOf(record)).data : undefined
  return data && isHonestSpeaker(context, data) ? data : undefined
}

/**
 * True if a text in `fields` has a secret: then `guarded` masks or seals the fields, or throws if masked fields are no
 * valid proposal. Such fields neither leave nor enter the book, because the pool sends them in clear.
 */
export function hasSecret(
  { guarded }: Pick<PoolRecords, 'guarded'>,
  fields: JsonObject,
  id = 'pool_proposal::unsent',
): boolean {
  try {
    const { body, sensitivity } = guarded({ kind: 'pool_proposal', id, body: fields })
    return sensitivity !== undefined || body !== fields
  } catch (error) {
    if (isDaybookError(error, 'invalid-input')) return true
    throw error
  }
}

/** True for a forgotten or sealed record. Don't send such a record: the pool sends content in clear. */
export function isForgottenOrSealed(records: Pick<PoolRecords, 'get' | 'wasForgotten'>, id: string): boolean {
  try {
    return records.wasForgotten(id) || isSealing(records.get(id)?.sensitivity)
  } catch (error) {
    if (isDaybookError(error, 'locked')) return true
    throw error
  }
}

/** True for a proposal that was forgotten or sealed in this book; a withdrawal forgets it. */
export const isWithdrawn = ({ records }: PoolContext, proposal: string): boolean =>
  isForgottenOrSealed(records, recordIds.proposal(proposal))
export const readProposal = (context: PoolContext, proposal: string): PoolProposalBody | undefined =>
  isWithdrawn(context, proposal) ? undefined : readSealedProposal(context, proposal)
/** Reads a sealed proposal too: its proposer can still withdraw it. */
export const readSealedProposal = (context: PoolContext, proposal: string): PoolProposalBody | undefined =>
  readBody(context, recordIds.proposal(proposal), 'pool_proposal', poolProposalBody)
export const readDecision = (context: PoolContext, proposal: string): DecisionBody | undefined =>
  readBody(context, recordIds.decision(proposal), 'pool_decision', decisionBody)
/** True for a decided proposal, even if this book has forgotten the decision: it is not decided again. */
export const hasDecision = (context: PoolContext, proposal: string): boolean =>
  readDecision(context, proposal) !== undefined ||
  isForgottenOrSealed(context.records, recordIds.decision(proposal))
export const readFact = (context: PoolContext, fact: string): PoolFactBody | undefined =>
  readBody(context, recordIds.fact(fact), 'pool_fact', poolFactBody)
/** The record of a claw, without revoked keys: a merge with another device of the owner may bring them back. */
export function readClaw(context: PoolContext, claw: string): ClawBody | undefined {
  const stored = readBody(context, recordIds.claw(claw), 'pool_claw', clawBody)
  if (!stored?.keys || !stored.revoked) return stored
  const { revoked } = stored
  return { ...stored, keys: stored.keys.filter((key) => !revoked.includes(key)) }
}

export const readBallot = (context: PoolContext, proposal: string, claw: string): BallotBody | undefined =>
  readBody(context, recordIds.ballot(proposal, claw), 'pool_ballot', ballotBody) ??
  ballotsOf(context, proposal).find((ballot) => sameClaw(ballot.claw, claw))

/**
 * The ballots on a proposal, one per claw. Prefers the ballot with the derived id; without one, a guest's ballot with
 * another id counts.
 */
export function ballotsOf(context: PoolContext, proposal: string): BallotBody[] {
  const found = context.records.citing(recordIds.proposal(proposal)).flatMap(({ id, kind }) => {
    const one = kind === 'pool_ballot' ? readBody(context, id, 'pool_ballot', ballotBody) : undefined
    return one ? [{ id, one }] : []
  })
  const withDerivedId = found.filter(({ id, one }) => id === recordIds.ballot(proposal, one.claw))
  return [...new Map([...found, ...withDerivedId].map(({ one }) => [foldName(one.claw), one])).values()]
}

/**
 * Writes a record into the scope of the group: callers that reach the group see it. `body` replaces the stored body
 * (`exact`), so a field that it lacks is removed.
 */
export function putRecord({ records, config }: PoolContext, kind: string, id: string, body: object): void {
  const name = { kind, id, scopes: [`pool:${config.group}`] }
  // Agents of others wrote a fact, and voted for it.
  const scope = kind === 'pool_fact' ? { trust: 'external' as const } : {}
  records.put({ kind, name, body: body as JsonObject, exact: true, scope })
}

/** The believable time of an envelope, as canonical UTC text. */
export function believableTime({ now }: PoolContext, claimedTime: string): string {
  return formatTime(believableMs(parseTime(claimedTime) ?? now, now))
}

/** A hash of the content, to recognise another envelope with the same key. */
export const envelopeHash = (envelope: EnvelopeDraft | EnvelopeV1): string =>
  nameHash(signedEnvelopeText(envelope))

/**
 * Puts an envelope of this book into the outbox, which is sent after the commit. A draft has no signature. Carriers
 * deliver envelopes with one `orderKey` in order.
 */
export function sendEnvelope(context: PoolContext, draft: EnvelopeDraft): void {
  const { pool, config, now } = context
  const { type, clawId: claw, instanceId: instance, idempotencyKey: key, traceId: trace } = draft
  pool.send(
    { type, key: orderKey(draft as EnvelopeV1), group: config.group, text: JSON.stringify(draft), own: true },
    now,
  )
  // A carrier may bring it back: then it is a duplicate.
  if (!isPeriodic(type)) pool.remember(claw, key, envelopeHash(draft))
  pool.own(claw)
  pool.note({ at: formatTime(now), type, claw, instance, key, trace, result: 'accepted', reason: 'sent' })
}

/** True for types that are sent periodically: the next envelope replaces a lost one. */
export const isPeriodic = (type: string): boolean => type === 'presence' || type === 'capabilities'

/** The head of an envelope that this book writes now. `trace` default: a new id; without `newId`, the key. */
export function envelopeHead(
  {
    pool,
    now,
  }: {
    readonly pool: Pick<PoolWritePort, 'self'> & Partial<Pick<PoolWritePort, 'newId'>>
    readonly now: number
  },
  { claw, key, trace }: { readonly claw: string; readonly key: string; readonly trace?: string },
) {
  return {
    schemaVersion: 'v1' as const,
    traceId: trace ?? pool.newId?.('claw_trace') ?? key,
    timestamp: formatTime(now),
    idempotencyKey: key,
    clawId: claw,
    instanceId: pool.self.instance,
  }
}
