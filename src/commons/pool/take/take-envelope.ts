// Takes in an envelope: checks it, applies the rule of its type, judges waiting envelopes again, and applies the
// effects. The rule returns a verdict. `waitFor`: the proposal or fact that must arrive first. `isKeyReusable`: the key
// is not remembered, so a second copy is judged again. `proposalToCount`: its votes must be counted.
// `retryWaitingFor`: envelopes that wait for these ids are judged again.
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
import type { ClawRateLimiter } from '../rule/claw-rate-limiter.ts'
import { decideProposal } from './count-votes.ts'
import { hasSecret, isMember, isOwnClaw, isPeriodic, type PoolContext, envelopeHash } from './pool-context.ts'
import { publishFact, takeFact } from './take-fact.ts'
import { takeDecision } from './take-decision.ts'
import { admissionRefusal, checkSigner, isSignedByOwner } from './check-signer.ts'
import { takeCapabilities, takePresence } from './take-claw.ts'
import { takeProposal, takeVote, takeWithdrawal } from './take-proposal.ts'
import {
  decisionWaitMs,
  notAdmittedReason,
  tallyMismatchReason,
  type Verdict,
  withdrawnVerdict,
} from './verdict.ts'

/** An envelope that was read and verified, before any access to the book. */
export interface IncomingEnvelope {
  readonly text: string
  readonly reading: EnvelopeReading
  /** True if its signature fits the key that it names; undefined without a signature. */
  readonly hasValidSignature?: boolean | undefined
  /** The carrier that brought it. Absent: no carrier did. */
  readonly carrier?: string | undefined
  /** When it reached that carrier, in milliseconds since 1970 UTC. Default: now. */
  readonly arrivedMs?: number | undefined
}

type Verify = (key: string, text: string, signature: string) => Promise<boolean>

/** The trail of an envelope that can't be read: the audit has no more about it. */
const emptyTrail: EnvelopeTrail = { type: '', claw: '', instance: '', key: '', trace: '' }

/** Reads an envelope and verifies its signature. Needs no transaction. */
export async function readIncoming(
  text: string,
  verify: Verify,
  arrival: Pick<IncomingEnvelope, 'carrier' | 'arrivedMs'> = {},
): Promise<IncomingEnvelope> {
  const refused = (reason: string): IncomingEnvelope => ({
    ...arrival,
    text,
    reading: { refused: reason, trail: emptyTrail },
  })
  if (utf8Length(text) > envelopeLimit) return refused(`larger than ${envelopeLimit} bytes`)
  let value: unknown
  try {
    value = JSON.parse(text)
    checkJson(value)
  } catch (error) {
    return refused(error instanceof DaybookError ? 'not plain JSON' : 'not JSON')
  }
  const reading = readEnvelope(value)
  if (reading.refused !== undefined) return { ...arrival, text, reading }
  let signed: string
  try {
    signed = signedEnvelopeText(value as object)
  } catch {
    return { ...arrival, text, reading: { refused: 'has no canonical form', trail: reading.trail } }
  }
  const { signature } = reading.envelope
  if (!signature) return { ...arrival, text, reading }
  return {
    ...arrival,
    text,
    reading,
    hasValidSignature: await verify(signature.key, signed, signature.value),
  }
}

/** Takes in an envelope, in the transaction of `context`, and writes the result to the audit. */
export function takeEnvelope(
  context: PoolContext,
  incoming: IncomingEnvelope,
  rateLimiter: ClawRateLimiter,
): Taken {
  const { reading } = incoming
  if (reading.refused !== undefined)
    return audit(context, incoming, { result: 'rejected', reason: reading.refused })
  const { envelope } = reading
  const { clawId: claw, idempotencyKey: key } = envelope
  const isOwn = isOwnClaw(context, claw)
  if (hasSecret(context.records, envelope.payload as JsonObject, `${envelope.type} of ${claw}`))
    return audit(context, incoming, { result: 'rejected', reason: 'holds_a_secret' })
  // The owner's other devices have no limit of envelopes per second.
  const isTrusted = isOwn && isSignedByOwner(context, envelope, incoming.hasValidSignature)
  const refusal =
    refusalOf(context, incoming, envelope, isOwn) ??
    (isTrusted ? undefined : rateRefusal(context, incoming, claw, rateLimiter))
  if (refusal) return audit(context, incoming, refusal)
  if (isOwn && !isTrusted) return waitForOwnKey(context, incoming, envelope)
  const isDeduplicated = !isPeriodic(envelope.type)
  if (isDeduplicated) {
    const hash = envelopeHash(envelope)
    const storedHash = context.pool.receivedHash(claw, key)
    if (storedHash !== undefined) {
      const reason = storedHash === hash ? 'same_envelope' : 'idempotency_key_reused'
      return audit(context, incoming, { result: 'duplicate', reason })
    }
    context.pool.remember(claw, key, hash)
  }
  if (isOwn) return relayOwn(context, incoming, envelope)
  const verdict = takeByType(context, envelope, false)
  if (verdict.isKeyReusable && !verdict.waitFor) context.pool.unremember(claw, key)
  // An older presence or announcement, or a message about a withdrawn proposal: nobody needs it, so it is not relayed.
  const isStale =
    verdict.result === 'stale' && (!isDeduplicated || verdict.reason === withdrawnVerdict.reason)
  const isNew = verdict.result !== 'duplicate' && !isStale
  if (isNew) relayEnvelope(context, incoming, envelope)
  if (verdict.waitFor) {
    const { id: awaitedId, maxWaitMs } = verdict.waitFor
    const { text, carrier } = incoming
    const { type } = envelope
    const due = context.now + maxWaitMs
    context.pool.wait({
      type,
      about: awaitedId,
      claw,
      key,
      text,
      at: context.now,
      due,
      ...(carrier ? { fromCarrier: carrier } : {}),
    })
    const reason = `waits: ${verdict.reason}`
    return { ...audit(context, incoming, { result: 'accepted', reason }), waits: true }
  }
  const taken = audit(context, incoming, verdict)
  applyEffects(context, verdict)
  return taken
}

/**
 * The refusal of an envelope: governance is off, another group, the claw does not count, or the signature is not
 * trusted. Undefined: no refusal.
 */
function refusalOf(
  context: PoolContext,
  incoming: IncomingEnvelope,
  envelope: EnvelopeV1,
  isOwn: boolean,
): Taken | undefined {
  const { config } = context
  const { type, payload } = envelope
  // A withdrawal is taken without governance too, because it only removes words.
  const isGoverned = !isPeriodic(type) && type !== 'withdrawal'
  if (isGoverned && !config.governance) return { result: 'ignored', reason: 'governance_disabled' }
  const group = 'group' in payload ? payload.group : undefined
  if (group !== undefined && group !== config.group) return { result: 'ignored', reason: 'other_group' }
  if (isOwn) return undefined
  const notAdmitted = admissionRefusal(context, envelope, incoming.hasValidSignature)
  if (notAdmitted) return notAdmitted
  const signerFault = checkSigner(context, envelope, incoming.hasValidSignature)
  return signerFault === undefined ? undefined : { result: 'rejected', reason: signerFault }
}

function rateRefusal(
  { config, now }: PoolContext,
  { arrivedMs }: IncomingEnvelope,
  claw: string,
  rateLimiter: ClawRateLimiter,
): Taken | undefined {
  const isOver = rateLimiter.isOverLimit(claw, arrivedMs ?? now, config.floodPerSecond)
  return isOver ? { result: 'rejected', reason: 'flood' } : undefined
}

/**
 * Makes an envelope wait that uses the name of this book's claw with an unknown key. The key belongs to another
 * device of the owner, and sync will bring it, or to a stranger. An unsigned envelope is ignored.
 */
function waitForOwnKey(
  context: PoolContext,
  incoming: IncomingEnvelope,
  { type, clawId, idempotencyKey }: EnvelopeV1,
): Taken {
  const { text, carrier, hasValidSignature } = incoming
  const reason = 'own_claw_unverified'
  if (!hasValidSignature || isPeriodic(type)) return audit(context, incoming, { result: 'ignored', reason })
  context.pool.wait({
    type,
    about: context.ownClaw,
    claw: clawId,
    key: idempotencyKey,
    text,
    at: context.now,
    due: context.now + decisionWaitMs,
    ...(carrier ? { fromCarrier: carrier } : {}),
  })
  return { ...audit(context, incoming, { result: 'accepted', reason: `waits: ${reason}` }), waits: true }
}

/** Relays an envelope of another device of this book, and applies nothing, because sync brings its records. */
function relayOwn(context: PoolContext, incoming: IncomingEnvelope, envelope: EnvelopeV1): Taken {
  relayEnvelope(context, incoming, envelope, true)
  return audit(context, incoming, { result: 'ignored', reason: 'own_envelope' })
}

/** Judges again an envelope that `waitForOwnKey` made wait. */
function retryWaitingOwn(
  context: PoolContext,
  waiting: PoolWaiting,
  reading: EnvelopeReading,
  isLastTry: boolean,
): void {
  const { pool } = context
  if (reading.refused !== undefined) return pool.stopWaiting(waiting.n)
  const { envelope } = reading
  // Envelopes wait only with a valid signature.
  const isOwner = isSignedByOwner(context, envelope, true)
  if (!isOwner && !isLastTry) return
  pool.stopWaiting(waiting.n)
  const { text, fromCarrier: carrier, claw, key } = waiting
  const incoming: IncomingEnvelope = { text, reading, carrier, hasValidSignature: true }
  if (!isOwner) return void audit(context, incoming, { result: 'ignored', reason: 'own_claw_unverified' })
  if (pool.receivedHash(claw, key) !== undefined) return
  pool.remember(claw, key, envelopeHash(envelope))
  relayOwn(context, incoming, envelope)
}

/** `isLastTry`: the waiting time of the envelope is over, so the verdict must be final. */
function takeByType(context: PoolContext, envelope: EnvelopeV1, isLastTry: boolean): Verdict {
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
      return takeDecision(context, envelope, isLastTry)
    case 'fact':
      return takeFact(context, envelope, isLastTry)
    case 'withdrawal':
      return takeWithdrawal(context, envelope)
  }
}

/** Applies the effects of a verdict: judges waiting envelopes again, counts votes, and publishes facts. */
export function applyEffects(
  context: PoolContext,
  { proposalToCount, retryWaitingFor = [] }: Pick<Verdict, 'proposalToCount' | 'retryWaitingFor'>,
): void {
  for (const about of retryWaitingFor) {
    for (const waiting of context.pool.waiting({ about })) retryWaiting(context, waiting, false)
    publishFact(context, about, { isDecider: false })
  }
  if (proposalToCount !== undefined && decideProposal(context, proposalToCount)) {
    publishFact(context, proposalToCount, { isDecider: true })
    applyEffects(context, { retryWaitingFor: [proposalToCount] })
  }
}

/** Judges a waiting envelope again. `isLastTry`: its waiting time is over. */
export function retryWaiting(context: PoolContext, waiting: PoolWaiting, isLastTry: boolean): void {
  const { pool } = context
  // A promotion is no envelope: an approved proposal (its id is `text`) whose fact waits for its earlier version.
  if (waiting.type === 'promotion') {
    pool.stopWaiting(waiting.n)
    if (!isLastTry) publishFact(context, waiting.text, { isDecider: false })
    return
  }
  const reading = readEnvelope(JSON.parse(waiting.text))
  if (isOwnClaw(context, waiting.claw)) return retryWaitingOwn(context, waiting, reading, isLastTry)
  if (reading.refused !== undefined) return pool.stopWaiting(waiting.n)
  // The owner may have let the claw go during the wait.
  const isNoMember = !isMember(context, waiting.claw)
  const verdict: Verdict = isNoMember
    ? { result: 'ignored', reason: notAdmittedReason, isKeyReusable: true }
    : takeByType(context, reading.envelope, isLastTry)
  if (verdict.waitFor && !isLastTry) return
  pool.stopWaiting(waiting.n)
  if (verdict.isKeyReusable) pool.unremember(waiting.claw, waiting.key)
  audit(context, { text: waiting.text, reading, carrier: waiting.fromCarrier }, verdict)
  applyEffects(context, verdict)
}

function audit(
  context: PoolContext,
  { reading, carrier }: IncomingEnvelope,
  { result, reason }: Pick<Taken, 'result' | 'reason'>,
): Taken {
  if (reason === tallyMismatchReason && reading.refused === undefined)
    reportDispute(context, reading.envelope)
  context.pool.note({
    at: formatTime(context.now),
    ...reading.trail,
    result,
    reason,
    ...defined({ from: carrier }),
  })
  return { result, reason }
}

/** Reports to the owner a decision that the ballots here contradict. */
function reportDispute({ pool }: PoolContext, { type, clawId: claw, payload }: EnvelopeV1): void {
  if (type === 'decision') pool.dispute({ claw, proposal: payload.proposalId, reason: tallyMismatchReason })
}

/**
 * Sends an envelope to the other carriers. `own`: this device signs it, because other claws may not have the key of
 * the device that made it. Default false.
 */
function relayEnvelope(
  context: PoolContext,
  { text, carrier }: IncomingEnvelope,
  envelope: EnvelopeV1,
  own = false,
): void {
  const { pool, config, now } = context
  if (!pool.carrierNames.some((name) => name !== carrier)) return
  const { type } = envelope
  pool.send(
    {
      type,
      key: orderKey(envelope),
      group: config.group,
      text,
      own,
      ...(carrier ? { fromCarrier: carrier } : {}),
    },
    now,
  )
}

export interface PoolWork {
  /** Ids of proposals whose votes must be counted. */
  readonly proposalsToCount: Iterable<string>
  /** Ids of proposals and facts that envelopes may wait for. */
  readonly retryWaitingFor: Iterable<string>
  /**
   * True if a carrier is behind, so that missing envelopes may still arrive: overdue envelopes keep waiting, except
   * those over the limit. Default false.
   */
  readonly isBehind?: boolean
}

/** Most overdue envelopes that one transaction judges. */
const maxOverdueAtOnce = 1000

/** Background work: judges overdue envelopes, counts votes, publishes facts. */
export function doPoolWork(
  context: PoolContext,
  { proposalsToCount, retryWaitingFor, isBehind = false }: PoolWork,
): void {
  // Due time 0 marks envelopes over the limit.
  const until = isBehind ? 0 : context.now
  const due: readonly PoolWaiting[] = context.pool.waiting({ due: until }).slice(0, maxOverdueAtOnce)
  for (const waiting of due) retryWaiting(context, waiting, true)
  applyEffects(context, { retryWaitingFor: [...retryWaitingFor] })
  for (const proposal of proposalsToCount) applyEffects(context, { proposalToCount: proposal })
}
