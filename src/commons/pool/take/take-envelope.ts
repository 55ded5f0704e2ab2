// Takes in an envelope: checks it, applies the rule of its type, judges waiting envelopes again, and applies the
// effects.
// Invariant: its key is remembered only after every check; of two envelopes with one key, one is applied.
import { defined } from '../../../core/defined.ts'
import type { PoolWaiting, Taken } from '../../../core/pool.ts'
import { DaybookError } from '../../../core/errors.ts'
import { checkJson } from '../../../core/json/json.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { utf8Length } from '../../../core/text/utf8.ts'
import { formatTime } from '../../../core/time.ts'
import {
  envelopeLimit,
  type EnvelopeReading,
  type EnvelopeTrail,
  type EnvelopeV1,
  orderKey,
  readEnvelope,
  signedEnvelopeText,
} from '../../../shape/envelope.ts'
import type { Flood } from '../rule/flood.ts'
import { decideProposal } from './count.ts'
import { isCounted, isOwnClaw, isRepeated, type PoolContext, envelopeHash } from './pool-context.ts'
import { publish, takeFact } from './take-fact.ts'
import { takeDecision } from './take-decision.ts'
import { takeCapabilities, takePresence, admissionOf, isSignedByOwner, trustIn } from './take-claw.ts'
import { takeProposal, takeVote, takeWithdrawal } from './take-proposal.ts'
import { decisionWaitMs, notAdmitted, tallyMismatch, type Verdict, withdrawn } from './verdict.ts'

/** An envelope that was read and verified, before any access to the book. */
export interface Received {
  readonly text: string
  readonly reading: EnvelopeReading
  /** True if its signature fits the key that it names; undefined without a signature. */
  readonly isSigned?: boolean | undefined
  /** The carrier that brought it. Absent: no carrier did. */
  readonly from?: string | undefined
  /** When it reached that carrier, in milliseconds since 1970 UTC. Default: now. */
  readonly at?: number | undefined
}

type Verify = (key: string, text: string, signature: string) => Promise<boolean>

const nobody: EnvelopeTrail = { type: '', claw: '', instance: '', key: '', trace: '' }

/** Reads an envelope and verifies its signature. Needs no transaction. */
export async function receive(
  text: string,
  verify: Verify,
  by: Pick<Received, 'from' | 'at'> = {},
): Promise<Received> {
  const refused = (reason: string): Received => ({ ...by, text, reading: { refused: reason, trail: nobody } })
  if (utf8Length(text) > envelopeLimit) return refused('larger than 65536 bytes')
  let value: unknown
  try {
    value = JSON.parse(text)
    checkJson(value)
  } catch (error) {
    return refused(error instanceof DaybookError ? 'not plain JSON' : 'not JSON')
  }
  const reading = readEnvelope(value)
  if (reading.refused !== undefined) return { ...by, text, reading }
  let signed: string
  try {
    signed = signedEnvelopeText(value as object)
  } catch {
    return { ...by, text, reading: { refused: 'has no canonical form', trail: reading.trail } }
  }
  const { signature } = reading.envelope
  if (!signature) return { ...by, text, reading }
  return { ...by, text, reading, isSigned: await verify(signature.key, signed, signature.value) }
}

/** Takes in an envelope, in the transaction of `context`, and writes the result to the audit. */
export function takeEnvelope(context: PoolContext, received: Received, flood: Flood): Taken {
  const { reading } = received
  if (reading.refused !== undefined)
    return audit(context, received, { result: 'rejected', reason: reading.refused })
  const { envelope } = reading
  const { clawId: claw, idempotencyKey: key } = envelope
  const isOwn = isOwnClaw(context, claw)
  if (holdsSecret(context, envelope))
    return audit(context, received, { result: 'rejected', reason: 'holds_a_secret' })
  const isTrusted = isOwn && isSignedByOwner(context, envelope, received.isSigned)
  const refusal =
    refuse(context, received, envelope, isOwn) ??
    (isTrusted ? undefined : floodRefusal(context, received, claw, flood))
  if (refusal) return audit(context, received, refusal)
  if (isOwn && !isTrusted) return holdUnverified(context, received, envelope)
  const isUnique = !isRepeated(envelope.type)
  if (isUnique) {
    const hash = envelopeHash(envelope)
    const before = context.pool.receivedHash(claw, key)
    if (before !== undefined) {
      const reason = before === hash ? 'same_envelope' : 'idempotency_key_reused'
      return audit(context, received, { result: 'duplicate', reason })
    }
    context.pool.remember(claw, key, hash)
  }
  if (isOwn) return relayOwn(context, received, envelope)
  const verdict = judge(context, envelope, false)
  if (verdict.again && !verdict.waits) context.pool.unremember(claw, key)
  const isStale = verdict.result === 'stale' && (!isUnique || verdict.reason === withdrawn.reason)
  const isNew = verdict.result !== 'duplicate' && !isStale
  if (isNew) relayEnvelope(context, received, envelope)
  if (verdict.waits) {
    const { about, forMs } = verdict.waits
    const { text, from } = received
    const { type } = envelope
    const due = context.now + forMs
    context.pool.wait({ type, about, claw, key, text, at: context.now, due, ...(from ? { from } : {}) })
    const reason = `waits: ${verdict.reason}`
    return { ...audit(context, received, { result: 'accepted', reason }), waits: true }
  }
  const taken = audit(context, received, verdict)
  applyEffects(context, verdict)
  return taken
}

/** True for an envelope that contains a secret: it would be stored and relayed in clear. */
function holdsSecret({ records }: PoolContext, { type, payload, clawId }: EnvelopeV1): boolean {
  const body = payload as JsonObject
  const guarded = records.guarded({ kind: 'pool_proposal', id: `${type} of ${clawId}`, body })
  return guarded.body !== body || guarded.sensitivity !== undefined
}

/**
 * The refusal of an envelope: governance is off, another group, the claw does not count, or the signature is not
 * trusted. Undefined: no refusal.
 */
function refuse(
  context: PoolContext,
  received: Received,
  envelope: EnvelopeV1,
  isOwn: boolean,
): Taken | undefined {
  const { config } = context
  const { type, payload } = envelope
  const isGoverned = !isRepeated(type) && type !== 'withdrawal'
  if (isGoverned && !config.governance) return { result: 'ignored', reason: 'governance_disabled' }
  const group = 'group' in payload ? payload.group : undefined
  if (group !== undefined && group !== config.group) return { result: 'ignored', reason: 'other_group' }
  if (isOwn) return undefined
  const outside = admissionOf(context, envelope, received.isSigned)
  if (outside) return outside
  const distrust = trustIn(context, envelope, received.isSigned)
  return distrust === undefined ? undefined : { result: 'rejected', reason: distrust }
}

function floodRefusal(
  { config, now }: PoolContext,
  { at }: Received,
  claw: string,
  flood: Flood,
): Taken | undefined {
  const isOver = flood.isOver(claw, at ?? now, config.floodPerSecond)
  return isOver ? { result: 'rejected', reason: 'flood' } : undefined
}

/**
 * Makes an envelope wait that uses the name of this book's claw with an unknown key. The key belongs to another
 * device of the owner, and sync will bring it, or to a stranger. An unsigned envelope is ignored.
 */
function holdUnverified(
  context: PoolContext,
  received: Received,
  { type, clawId, idempotencyKey }: EnvelopeV1,
): Taken {
  const { text, from, isSigned } = received
  const reason = 'own_claw_unverified'
  if (!isSigned || isRepeated(type)) return audit(context, received, { result: 'ignored', reason })
  context.pool.wait({
    type,
    about: context.own,
    claw: clawId,
    key: idempotencyKey,
    text,
    at: context.now,
    due: context.now + decisionWaitMs,
    ...(from ? { from } : {}),
  })
  return { ...audit(context, received, { result: 'accepted', reason: `waits: ${reason}` }), waits: true }
}

/** Relays an envelope of another device of this book, and applies nothing, because sync brings its records. */
function relayOwn(context: PoolContext, received: Received, envelope: EnvelopeV1): Taken {
  relayEnvelope(context, received, envelope, true)
  return audit(context, received, { result: 'ignored', reason: 'own_envelope' })
}

function retryOwn(
  context: PoolContext,
  waiting: PoolWaiting,
  reading: EnvelopeReading,
  isLast: boolean,
): void {
  const { pool } = context
  if (reading.refused !== undefined) return pool.stopWaiting(waiting.n)
  const { envelope } = reading
  // Envelopes wait only with a valid signature.
  const isOwner = isSignedByOwner(context, envelope, true)
  if (!isOwner && !isLast) return
  pool.stopWaiting(waiting.n)
  const { text, from, claw, key } = waiting
  const received: Received = { text, reading, from, isSigned: true }
  if (!isOwner) return void audit(context, received, { result: 'ignored', reason: 'own_claw_unverified' })
  if (pool.receivedHash(claw, key) !== undefined) return
  pool.remember(claw, key, envelopeHash(envelope))
  relayOwn(context, received, envelope)
}

function judge(context: PoolContext, envelope: EnvelopeV1, isLast: boolean): Verdict {
  switch (envelope.type) {
    case 'presence':
      return takePresence(context, envelope)
    case 'capabilities':
      return takeCapabilities(context, envelope)
    case 'proposal':
      return takeProposal(context, envelope)
    case 'vote':
      return takeVote(context, envelope)
    case 'decision':
      return takeDecision(context, envelope, isLast)
    case 'fact':
      return takeFact(context, envelope, isLast)
    case 'withdrawal':
      return takeWithdrawal(context, envelope)
  }
}

/** Applies the effects of a verdict: judges waiting envelopes again, counts votes, and publishes facts. */
export function applyEffects(
  context: PoolContext,
  { count, frees = [] }: Pick<Verdict, 'count' | 'frees'>,
): void {
  for (const about of frees) {
    for (const waiting of context.pool.waiting({ about })) retryWaiting(context, waiting, false)
    publish(context, about, false)
  }
  if (count !== undefined && decideProposal(context, count)) {
    publish(context, count, true)
    applyEffects(context, { frees: [count] })
  }
}

/** Judges a waiting envelope again. `isLast`: its waiting time is over. */
export function retryWaiting(context: PoolContext, waiting: PoolWaiting, isLast: boolean): void {
  const { pool } = context
  if (waiting.type === 'promotion') {
    pool.stopWaiting(waiting.n)
    if (!isLast) publish(context, waiting.text, false)
    return
  }
  const reading = readEnvelope(JSON.parse(waiting.text))
  if (isOwnClaw(context, waiting.claw)) return retryOwn(context, waiting, reading, isLast)
  if (reading.refused !== undefined) return pool.stopWaiting(waiting.n)
  // The owner may have let the claw go during the wait.
  const isOut = !isCounted(context, waiting.claw)
  const verdict: Verdict = isOut
    ? { result: 'ignored', reason: notAdmitted, again: true }
    : judge(context, reading.envelope, isLast)
  if (verdict.waits && !isLast) return
  pool.stopWaiting(waiting.n)
  if (verdict.again) pool.unremember(waiting.claw, waiting.key)
  audit(context, { text: waiting.text, reading, from: waiting.from }, verdict)
  applyEffects(context, verdict)
}

function audit(
  context: PoolContext,
  { reading, from }: Received,
  { result, reason }: Pick<Taken, 'result' | 'reason'>,
): Taken {
  if (reason === tallyMismatch && reading.refused === undefined) reportDispute(context, reading.envelope)
  context.pool.note({
    at: formatTime(context.now),
    ...reading.trail,
    result,
    reason,
    ...defined({ from }),
  })
  return { result, reason }
}

/** Reports to the owner a decision that the ballots here contradict. */
function reportDispute({ pool }: PoolContext, { type, clawId: claw, payload }: EnvelopeV1): void {
  if (type === 'decision') pool.dispute({ claw, proposal: payload.proposalId, reason: tallyMismatch })
}

/**
 * Sends an envelope to the other carriers. `own`: this device signs it, because other claws may not have the key of
 * the device that made it. Default false.
 */
function relayEnvelope(
  context: PoolContext,
  { text, from }: Received,
  envelope: EnvelopeV1,
  own = false,
): void {
  const { pool, config, now } = context
  if (!pool.carriers.some((name) => name !== from)) return
  const { type } = envelope
  pool.send({ type, key: orderKey(envelope), group: config.group, text, own, ...(from ? { from } : {}) }, now)
}

export interface ToSettle {
  /** Ids of proposals whose votes must be counted. */
  readonly count: Iterable<string>
  /** Ids of proposals and facts that envelopes may wait for. */
  readonly frees: Iterable<string>
  /**
   * True if a carrier is behind, so that missing envelopes may still arrive: overdue envelopes keep waiting, except
   * those over the limit. Default false.
   */
  readonly isBehind?: boolean
}

/** Most overdue envelopes that one transaction judges. */
const most = 1000

/** Background work: judges overdue envelopes, counts votes, publishes facts. */
export function settle(context: PoolContext, { count, frees, isBehind = false }: ToSettle): void {
  const until = isBehind ? 0 : context.now
  const due: readonly PoolWaiting[] = context.pool.waiting({ due: until }).slice(0, most)
  for (const waiting of due) retryWaiting(context, waiting, true)
  applyEffects(context, { frees: [...frees] })
  for (const proposal of count) applyEffects(context, { count: proposal })
}
