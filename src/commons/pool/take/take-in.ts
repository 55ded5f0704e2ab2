// An envelope on its way in: what is checked before anything of it is held, and what becomes of it.
// Invariant: its key is held only after all of it was found sound; of two envelopes of one key one is applied, ever.
import type { PoolWaiting } from '../../../core/pool/pool-port.ts'
import type { Taken } from '../../../core/pool/pool-carrier.ts'
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
  signedText,
} from '../../../shape/envelope.ts'
import type { Flood } from '../rule/flood.ts'
import { decide } from './count.ts'
import { isCounted, isOwnClaw, isPassing, type Scene, wordOf } from './pool-context.ts'
import { publish, takeFact } from './take-fact.ts'
import { takeDecision } from './take-decision.ts'
import { takeCapabilities, takePresence, admissionOf, isOwnKey, trustIn } from './take-claw.ts'
import { takeProposal, takeVote, takeWithdrawal } from './take-proposal.ts'
import { decisionWaitMs, notAdmitted, tallyMismatch, type Verdict, withdrawn } from './verdict.ts'

/** What is known of an envelope before anything of the book is asked. */
export interface Arrival {
  readonly text: string
  readonly reading: EnvelopeReading
  /** Whether its signature is that of the key it names; undefined: it has none. */
  readonly isSigned?: boolean | undefined
  /** The carrier that brought it. */
  readonly from?: string | undefined
  /** When it reached that carrier, milliseconds. */
  readonly at?: number | undefined
}

type Verify = (key: string, text: string, signature: string) => Promise<boolean>

const nobody: EnvelopeTrail = { type: '', claw: '', instance: '', key: '', trace: '' }

/** Reads an envelope and verifies its signature: what of it needs no transaction. */
export async function receive(
  text: string,
  verify: Verify,
  by: Pick<Arrival, 'from' | 'at'> = {},
): Promise<Arrival> {
  const refused = (reason: string): Arrival => ({ ...by, text, reading: { refused: reason, trail: nobody } })
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
  let said: string
  try {
    said = signedText(value as object)
  } catch {
    return { ...by, text, reading: { refused: 'has no canonical form', trail: reading.trail } }
  }
  const { signature } = reading.envelope
  if (!signature) return { ...by, text, reading }
  return { ...by, text, reading, isSigned: await verify(signature.key, said, signature.value) }
}

/** Takes in what has arrived, in the transaction of `scene`; it says what came of it, and the audit has it. */
export function takeIn(scene: Scene, arrival: Arrival, flood: Flood): Taken {
  const { reading } = arrival
  if (reading.refused !== undefined)
    return noted(scene, arrival, { result: 'rejected', reason: reading.refused })
  const { envelope } = reading
  const { clawId: claw, idempotencyKey: key } = envelope
  const isOwn = isOwnClaw(scene, claw)
  if (holdsSecret(scene, envelope))
    return noted(scene, arrival, { result: 'rejected', reason: 'holds_a_secret' })
  const isTrusted = isOwn && isOwnKey(scene, envelope, arrival.isSigned)
  const refusal =
    refuse(scene, arrival, envelope, isOwn) ?? (isTrusted ? undefined : overrun(scene, arrival, claw, flood))
  if (refusal) return noted(scene, arrival, refusal)
  if (isOwn && !isTrusted) return doubtOwn(scene, arrival, envelope)
  const isHeld = !isPassing(envelope.type)
  if (isHeld) {
    const word = wordOf(envelope)
    const before = scene.pool.had(claw, key)
    if (before !== undefined) {
      const reason = before === word ? 'same_envelope' : 'idempotency_key_reused'
      return noted(scene, arrival, { result: 'duplicate', reason })
    }
    scene.pool.remember(claw, key, word)
  }
  if (isOwn) return passOwn(scene, arrival, envelope)
  const verdict = judge(scene, envelope, false)
  if (verdict.again && !verdict.waits) scene.pool.unremember(claw, key)
  const isStale = verdict.result === 'stale' && (!isHeld || verdict.reason === withdrawn.reason)
  const isNew = verdict.result !== 'duplicate' && !isStale
  if (isNew) relay(scene, arrival, envelope)
  if (verdict.waits) {
    const { about, forMs } = verdict.waits
    const { text, from } = arrival
    const { type } = envelope
    const due = scene.now + forMs
    scene.pool.wait({ type, about, claw, key, text, at: scene.now, due, ...(from ? { from } : {}) })
    const reason = `waits: ${verdict.reason}`
    return { ...noted(scene, arrival, { result: 'accepted', reason }), waits: true }
  }
  const taken = noted(scene, arrival, verdict)
  follow(scene, verdict)
  return taken
}

/** It would wait, and go on to others, in clear. */
function holdsSecret({ records }: Scene, { type, payload, clawId }: EnvelopeV1): boolean {
  const body = payload as JsonObject
  const kept = records.guarded({ kind: 'pool_proposal', id: `${type} of ${clawId}`, body })
  return kept.body !== body || kept.sensitivity !== undefined
}

/** Why an envelope goes no further: governance, another group, no trust, too many of them. */
function refuse(scene: Scene, arrival: Arrival, envelope: EnvelopeV1, isOwn: boolean): Taken | undefined {
  const { config } = scene
  const { type, payload } = envelope
  const isGoverned = !isPassing(type) && type !== 'withdrawal'
  if (isGoverned && !config.governance) return { result: 'ignored', reason: 'governance_disabled' }
  const group = 'group' in payload ? payload.group : undefined
  if (group !== undefined && group !== config.group) return { result: 'ignored', reason: 'other_group' }
  if (isOwn) return undefined
  const outside = admissionOf(scene, envelope, arrival.isSigned)
  if (outside) return outside
  const distrust = trustIn(scene, envelope, arrival.isSigned)
  return distrust === undefined ? undefined : { result: 'rejected', reason: distrust }
}

function overrun({ config, now }: Scene, { at }: Arrival, claw: string, flood: Flood): Taken | undefined {
  const isOver = flood.isOver(claw, at ?? now, config.flood_per_second)
  return isOver ? { result: 'rejected', reason: 'flood' } : undefined
}

/**
 * It bears the name of this book's claw, under a key that the book does not know: that of another device of its owner, whose
 * introduction is still on its way with the sync, or a stranger's. Until one or the other is sure it goes nowhere.
 */
function doubtOwn(scene: Scene, arrival: Arrival, { type, clawId, idempotencyKey }: EnvelopeV1): Taken {
  const { text, from, isSigned } = arrival
  const reason = 'own_claw_unverified'
  if (!isSigned || isPassing(type)) return noted(scene, arrival, { result: 'ignored', reason })
  scene.pool.wait({
    type,
    about: scene.own,
    claw: clawId,
    key: idempotencyKey,
    text,
    at: scene.now,
    due: scene.now + decisionWaitMs,
    ...(from ? { from } : {}),
  })
  return { ...noted(scene, arrival, { result: 'accepted', reason: `waits: ${reason}` }), waits: true }
}

/** Another device of this book has said it, and its records come with the sync: only the others are told. */
function passOwn(scene: Scene, arrival: Arrival, envelope: EnvelopeV1): Taken {
  relay(scene, arrival, envelope, true)
  return noted(scene, arrival, { result: 'ignored', reason: 'own_envelope' })
}

function judgeOwnAgain(scene: Scene, waiting: PoolWaiting, reading: EnvelopeReading, isLast: boolean): void {
  const { pool } = scene
  if (reading.refused !== undefined) return pool.stopWaiting(waiting.n)
  const { envelope } = reading
  // Only what was well signed waits.
  const isKnown = isOwnKey(scene, envelope, true)
  if (!isKnown && !isLast) return
  pool.stopWaiting(waiting.n)
  const { text, from, claw, key } = waiting
  const arrival: Arrival = { text, reading, from, isSigned: true }
  if (!isKnown) return void noted(scene, arrival, { result: 'ignored', reason: 'own_claw_unverified' })
  if (pool.had(claw, key) !== undefined) return
  pool.remember(claw, key, wordOf(envelope))
  passOwn(scene, arrival, envelope)
}

function judge(scene: Scene, envelope: EnvelopeV1, isLast: boolean): Verdict {
  switch (envelope.type) {
    case 'presence':
      return takePresence(scene, envelope)
    case 'capabilities':
      return takeCapabilities(scene, envelope)
    case 'proposal':
      return takeProposal(scene, envelope)
    case 'vote':
      return takeVote(scene, envelope)
    case 'decision':
      return takeDecision(scene, envelope, isLast)
    case 'fact':
      return takeFact(scene, envelope, isLast)
    case 'withdrawal':
      return takeWithdrawal(scene, envelope)
  }
}

/** What follows from what was taken in: what waited for it is judged, votes are counted, facts given out. */
export function follow(scene: Scene, { count, frees = [] }: Pick<Verdict, 'count' | 'frees'>): void {
  for (const about of frees) {
    for (const waiting of scene.pool.waiting({ about })) judgeAgain(scene, waiting, false)
    publish(scene, about, false)
  }
  if (count !== undefined && decide(scene, count)) {
    publish(scene, count, true)
    follow(scene, { frees: [count] })
  }
}

/** Judges what has waited; for the last time when its time is over. */
export function judgeAgain(scene: Scene, waiting: PoolWaiting, isLast: boolean): void {
  const { pool } = scene
  if (waiting.type === 'promotion') {
    pool.stopWaiting(waiting.n)
    if (!isLast) publish(scene, waiting.text, false)
    return
  }
  const reading = readEnvelope(JSON.parse(waiting.text))
  if (isOwnClaw(scene, waiting.claw)) return judgeOwnAgain(scene, waiting, reading, isLast)
  if (reading.refused !== undefined) return pool.stopWaiting(waiting.n)
  // It may have been let go while this waited.
  const isOut = !isCounted(scene, waiting.claw)
  const verdict: Verdict = isOut
    ? { result: 'ignored', reason: notAdmitted, again: true }
    : judge(scene, reading.envelope, isLast)
  if (verdict.waits && !isLast) return
  pool.stopWaiting(waiting.n)
  if (verdict.again) pool.unremember(waiting.claw, waiting.key)
  noted(scene, { text: waiting.text, reading, from: waiting.from }, verdict)
  follow(scene, verdict)
}

function noted(scene: Scene, { reading, from }: Arrival, said: Pick<Taken, 'result' | 'reason'>): Taken {
  const { result, reason } = said
  if (reason === tallyMismatch && reading.refused === undefined) dispute(scene, reading.envelope)
  scene.pool.note({
    at: formatTime(scene.now),
    ...reading.trail,
    result,
    reason,
    ...(from === undefined ? {} : { from }),
  })
  return { result, reason }
}

/** The owner is told of a decision that the ballots here contradict. */
function dispute({ pool }: Scene, { type, clawId: claw, payload }: EnvelopeV1): void {
  if (type === 'decision') pool.dispute({ claw, proposal: payload.proposalId, reason: tallyMismatch })
}

/**
 * Passes on what came over one carrier to the others. What another device of this book has said goes out under the key of this
 * one: by it the others know the claw, and the other device's they may not have heard of yet.
 */
function relay(scene: Scene, { text, from }: Arrival, envelope: EnvelopeV1, own = false): void {
  const { pool, config, now } = scene
  if (!pool.carriers.some((name) => name !== from)) return
  const { type } = envelope
  pool.send({ type, key: orderKey(envelope), group: config.group, text, own, ...(from ? { from } : {}) }, now)
}

// What nobody calls for: what has waited for too long is judged, votes are counted once more, facts given out.
/** Of what more is known than when it was last looked at. */
export interface ToSettle {
  /** Proposals whose votes are to be counted. */
  readonly count: Iterable<string>
  /** Proposals and facts for which something may wait. */
  readonly frees: Iterable<string>
  /**
   * What has waited for too long is left waiting: what it waits for may still be on its way. Only of more than are kept the
   * oldest is judged.
   */
  readonly isBehind?: boolean
}

/** As many that are due are judged in one transaction. */
const most = 1000

export function settle(scene: Scene, { count, frees, isBehind = false }: ToSettle): void {
  const until = isBehind ? 0 : scene.now
  const due: readonly PoolWaiting[] = scene.pool.waiting({ due: until }).slice(0, most)
  for (const waiting of due) judgeAgain(scene, waiting, true)
  follow(scene, { frees: [...frees] })
  for (const proposal of count) follow(scene, { count: proposal })
}
