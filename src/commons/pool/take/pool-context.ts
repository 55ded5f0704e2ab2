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
import { configId, type PoolConfig, readConfig } from '../pool-config.ts'
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
import { isHonest, isMember, type RecordSpeaker, type Roll } from './member.ts'
import { activeClaws, claimedAt } from '../rule/presence.ts'

export type ContextRecords = Pick<
  RecordWriter,
  'get' | 'put' | 'citing' | 'guarded' | 'rules' | 'wasForgotten' | 'purge'
>

export interface PoolContext {
  readonly records: ContextRecords
  readonly pool: PoolWritePort
  readonly config: PoolConfig
  /** Milliseconds since 1970 UTC. */
  readonly now: number
  /** The claw of the agent that the book was opened for. */
  readonly own: string
}

export interface ContextParts {
  readonly records: ContextRecords
  readonly pool: PoolWritePort
  readonly now: number
}

export function openContext({ records, pool, now }: ContextParts): PoolContext {
  const config = readConfig(records.rules.get(configId))
  return { records, pool, now, config, own: ownClaw(config, pool.self) }
}

/** The claw of the agent that a book was opened for. */
export function ownClaw({ claw }: PoolConfig, { agent, book }: { agent: string; book: string }): string {
  return claw === undefined ? clawIdOf(agent, book) : foldName(claw)
}

/** The claw of an agent of this book. */
export function clawFor(
  { config, pool: { self } }: { readonly config: PoolConfig; readonly pool: Pick<PoolWritePort, 'self'> },
  agent: string,
): string {
  return agent === self.agent ? ownClaw(config, self) : clawIdOf(agent, self.book)
}

/**
 * The name to show for an agent whose claw is spelled in another way: `Helper@book` for `%48elper@book`. Undefined
 * if both are equal.
 */
export function nameAsWritten(
  { config, own, pool: { self } }: PoolContext,
  agent: string,
): string | undefined {
  const claw = clawFor({ config, pool: { self } }, agent)
  const named = sameClaw(claw, own) && config.claw !== undefined ? config.claw : `${agent}@${self.book}`
  return named === claw ? undefined : named.slice(0, poolLimits.id)
}

export const isOwnClaw = ({ pool, own }: PoolContext, claw: string): boolean =>
  sameClaw(own, claw) || pool.isOwn(claw)

export const rollOf = ({ config, own, pool, records }: PoolContext): Roll => ({
  config,
  own,
  pool,
  rules: records.rules,
})

/** True for a claw that counts in this book. */
export const isCounted = (context: PoolContext, claw: string): boolean => isMember(rollOf(context), claw)

/** The presence of claws that count, active or not. */
export function membersHere(context: PoolContext): PoolPresence[] {
  const standing = new Map<string, boolean>()
  return context.pool.presence().filter(({ claw }) => {
    const is = standing.get(claw) ?? isCounted(context, claw)
    standing.set(claw, is)
    return is
  })
}

/** The active claws that count, including this book's own. */
export function activeNow(context: PoolContext): string[] {
  const { pool, own, now } = context
  const presence = membersHere(context)
  const here = { claw: own, instance: pool.self.instance, at: now, status: 'active' as const, own: true }
  return activeClaws([...presence.filter(({ claw }) => !sameClaw(claw, own)), here], now)
}

interface Body<Shape> {
  safeParse(value: unknown): { data?: Shape | undefined }
}

/**
 * The body of a record. Undefined for another kind or shape, or if an agent of this book speaks in the name of a
 * foreign claw.
 */
function read<Shape extends RecordSpeaker>(
  context: PoolContext,
  id: string,
  kind: string,
  body: Body<Shape>,
): Shape | undefined {
  const record = context.records.get(id)
  const data = record?.kind === kind ? body.safeParse(bodyOf(record)).data : undefined
  return data && isHonest(context, data) ? data : undefined
}

/** True for a forgotten or sealed record. Don't send such a record: the pool sends content in clear. */
export function isGone(records: Pick<ContextRecords, 'get' | 'wasForgotten'>, id: string): boolean {
  try {
    return records.wasForgotten(id) || isSealing(records.get(id)?.sensitivity)
  } catch (error) {
    if (isDaybookError(error, 'locked')) return true
    throw error
  }
}

/** True for a proposal that was forgotten or sealed in this book; a withdrawal forgets it. */
export const isWithdrawn = ({ records }: PoolContext, proposal: string): boolean =>
  isGone(records, recordIds.proposal(proposal))
export const readProposal = (context: PoolContext, proposal: string): PoolProposalBody | undefined =>
  isWithdrawn(context, proposal) ? undefined : readSealedProposal(context, proposal)
/** Reads a sealed proposal too: its proposer can still withdraw it. */
export const readSealedProposal = (context: PoolContext, proposal: string): PoolProposalBody | undefined =>
  read(context, recordIds.proposal(proposal), 'pool_proposal', poolProposalBody)
export const readDecision = (context: PoolContext, proposal: string): DecisionBody | undefined =>
  read(context, recordIds.decision(proposal), 'pool_decision', decisionBody)
/** True for a decided proposal, even if this book has forgotten the decision: it is not decided again. */
export const hasDecision = (context: PoolContext, proposal: string): boolean =>
  readDecision(context, proposal) !== undefined || isGone(context.records, recordIds.decision(proposal))
export const readFact = (context: PoolContext, fact: string): PoolFactBody | undefined =>
  read(context, recordIds.fact(fact), 'pool_fact', poolFactBody)
/** The record of a claw, without revoked keys: a merge with another device of the owner may bring them back. */
export function readClaw(context: PoolContext, claw: string): ClawBody | undefined {
  const stored = read(context, recordIds.claw(claw), 'pool_claw', clawBody)
  if (!stored?.keys || !stored.revoked) return stored
  const { revoked } = stored
  return { ...stored, keys: stored.keys.filter((key) => !revoked.includes(key)) }
}

export const readBallot = (context: PoolContext, proposal: string, claw: string): BallotBody | undefined =>
  read(context, recordIds.ballot(proposal, claw), 'pool_ballot', ballotBody) ??
  ballotsOf(context, proposal).find((one) => sameClaw(one.claw, claw))

/**
 * The ballots on a proposal, one per claw. Prefers the ballot with the usual id; without one, a guest's ballot with
 * another id counts.
 */
export function ballotsOf(context: PoolContext, proposal: string): BallotBody[] {
  const found = context.records.citing(recordIds.proposal(proposal)).flatMap(({ id, kind }) => {
    const one = kind === 'pool_ballot' ? read(context, id, 'pool_ballot', ballotBody) : undefined
    return one ? [{ id, one }] : []
  })
  const usual = found.filter(({ id, one }) => id === recordIds.ballot(proposal, one.claw))
  return [...new Map([...found, ...usual].map(({ one }) => [foldName(one.claw), one])).values()]
}

/** Writes a record into the scope of the group: callers that reach the group see it. */
export function putRecord({ records, config }: PoolContext, kind: string, id: string, body: object): void {
  const name = { kind, id, scopes: [`pool:${config.group}`] }
  records.put({ kind, name, body: body as JsonObject, exact: true })
}

/** The believable time of an envelope, as canonical UTC text. */
export function claimedTime({ now }: PoolContext, claimed: string): string {
  return formatTime(claimedAt(parseTime(claimed) ?? now, now))
}

/** A hash of the content, to recognise another envelope with the same key. */
export const envelopeHash = (envelope: EnvelopeDraft | EnvelopeV1): string =>
  nameHash(signedEnvelopeText(envelope))

/** Puts an envelope of this book into the outbox, which is sent after the commit. */
export function sendEnvelope(context: PoolContext, draft: EnvelopeDraft): void {
  const { pool, config, now } = context
  const { type, clawId: claw, instanceId: instance, idempotencyKey: key, traceId: trace } = draft
  pool.send(
    { type, key: orderKey(draft as EnvelopeV1), group: config.group, text: JSON.stringify(draft), own: true },
    now,
  )
  if (!isRepeated(type)) pool.remember(claw, key, envelopeHash(draft))
  pool.own(claw)
  pool.note({ at: formatTime(now), type, claw, instance, key, trace, result: 'accepted', reason: 'sent' })
}

/** True for types that are sent periodically: the next envelope replaces a lost one. */
export const isRepeated = (type: string): boolean => type === 'presence' || type === 'capabilities'

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
    traceId: trace ?? pool.newId?.('tr-') ?? key,
    timestamp: formatTime(now),
    idempotencyKey: key,
    clawId: claw,
    instanceId: pool.self.instance,
  }
}
