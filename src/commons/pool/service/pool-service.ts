// The background work of the pool: opens carriers, takes in their envelopes, counts votes after changes and at
// deadlines, announces presence, and sends the outbox.
// Invariant: it writes only in transactions of the owner, and repeats interrupted work; a record that can't be read
// here causes no event.
import type { PoolNews } from '../../../core/capability/event.ts'
import type { PoolCarrier, Taken } from '../../../core/pool.ts'
import type { Service, ServiceParts } from '../../../core/capability/chapter.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../../../core/errors.ts'
import { bodyOf } from '../../../core/record.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { clawBody, ballotBody, decisionBody, poolFactBody, poolProposalBody } from '../pool-kind.ts'
import { idPrefixes, recordIds } from '../../../core/text/name-id.ts'
import { ClawRateLimiter } from '../rule/claw-rate-limiter.ts'
import { activeClaws, capabilitiesIntervalMs, presenceIntervalMs } from '../rule/presence.ts'
import {
  envelopeHead,
  openContext,
  clawOfBookAgent,
  readClaw,
  type PoolContext,
} from '../take/pool-context.ts'
import { doPoolWork, readIncoming, takeEnvelope } from '../take/take-envelope.ts'
import { sendWithdrawals } from '../take/take-proposal.ts'
import { configOf, configId } from '../pool-config.ts'
import { announceCapabilities, announcementKey, announcePresence, updateOwnClawRecord } from './announce.ts'
import { CarrierPump, signEnvelope } from './carrier-pump.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { isSealing } from '../../../core/sealed.ts'

/** Most open proposals in memory; others wait for their next vote. */
const maxOpenProposals = 1000
/** After a new claw arrives, presence is announced once this time has passed since the last presence. */
const minPresenceIntervalMs = 5000
const retryMs = 5000
/** A start doesn't load a proposal that ended longer ago than this: it stays undecided. */
const maxOverdueMs = 7 * 86_400_000
const minTimerMs = 50
const maxTimerMs = 3_600_000
/** Without carriers, an overdue envelope of an earlier carrier waits until this long after its arrival. */
const missingCarrierMs = 86_400_000

/** The last announcements of this engine, in milliseconds since 1970 UTC; 0: due now. */
interface Announcements {
  presenceSentMs: number
  /** True if a claw arrived that may have missed the last presence. */
  hasNewClaws: boolean
  capabilitiesSentMs: number
  /** When the tables were last pruned. */
  prunedMs: number
  /** The keys of this book's claw in the last announcement. */
  keys?: string | undefined
}

function failedCarrier({ name }: PoolCarrier, path: string, cause: unknown): DaybookError {
  const message = `\`${path}\`: The carrier \`${name}\` does not open. ${toDaybookError(cause).message}`
  return new DaybookError('invalid-input', message, { details: { path }, cause })
}

export class PoolService implements Service {
  readonly name = 'pool'
  readonly #deps: ServiceParts
  readonly #rateLimiter = new ClawRateLimiter()
  readonly #pumps: readonly CarrierPump[]
  /** By id: the end of a proposal that may be open, in milliseconds since 1970 UTC. */
  readonly #openUntil = new Map<string, number>()
  #proposalsToCount = new Set<string>()
  /** Ids of proposals, facts and claws that changed since the last run: envelopes may wait for them. */
  #changedIds = new Set<string>()
  /** The active claws of the last run. */
  #activeClaws: ReadonlySet<string> = new Set()
  /** `pool.revision` at the last run. */
  #revision = -1
  /** True if a proposal may have been forgotten or sealed, so that a withdrawal may be due. */
  #mayHaveWithdrawals = true
  /** `pool.removedProposals` at the last look. */
  #removedProposals = 0
  #announcements: Announcements = {
    presenceSentMs: 0,
    hasNewClaws: false,
    capabilitiesSentMs: 0,
    prunedMs: 0,
  }
  #hasLoadedOpen = false
  #isRunning = false
  #isWoken = false
  #isClosed = false
  #cancelTimer: (() => void) | undefined

  constructor(deps: ServiceParts) {
    this.#deps = deps
    const carriers = deps.isDevice ? deps.carriers : []
    this.#pumps = carriers.map((carrier) => new CarrierPump(carrier, deps))
    this.#openCarriers(carriers)
    if (carriers.length > 0) this.#wakeAfter(0)
  }

  changed(id: string, kind: string): void {
    if (kind === 'pool_config') this.#applyNewConfig()
    if (kind === 'pool_claw') this.#announceChangedOwnKeys(id)
    const event = kind.startsWith('pool_') ? this.#readEvent(id, kind) : undefined
    // A proposal without an event was forgotten or sealed.
    if (!event) return kind === 'pool_proposal' ? this.#noteRemovedProposal(id) : undefined
    this.#deps.tell('pool', event)
    if (event.type === 'proposal' || event.type === 'vote') this.#proposalsToCount.add(event.id)
    if (event.type === 'decision') this.#openUntil.delete(event.id)
    this.#changedIds.add(event.id)
    this.#wake()
  }

  committed(): void {
    this.#emitDisputes()
    if (this.#deps.pool.removedProposals !== this.#removedProposals) this.#noteRemovedProposal()
    if (this.#deps.isDevice && this.#deps.pool.revision !== this.#revision) this.#wake()
  }

  /** Loads the proposals that were open when the book was closed. */
  idle(): void {
    if (this.#hasLoadedOpen || !this.#deps.isDevice) return
    this.#hasLoadedOpen = true
    const { records, clock } = this.#deps
    const since = formatTime(clock.now() - maxOverdueMs)
    const page = records.query({
      kind: 'pool_proposal',
      filters: { expiresAt: { gte: since } },
      limit: maxOpenProposals,
    })
    for (const { id } of page.records) this.#readEvent(id, 'pool_proposal')
    for (const proposalId of this.#openUntil.keys()) this.#proposalsToCount.add(proposalId)
    this.#wake()
  }

  wake(): void {
    for (const pump of this.#pumps) pump.wake()
    if (this.#pumps.length > 0) this.#wake()
  }

  degraded(): string | undefined {
    const faults = this.#pumps.flatMap((pump) => pump.degraded() ?? [])
    return faults.length === 0 ? undefined : faults.join(' ')
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#cancelTimer?.()
    for (const pump of this.#pumps) pump.close()
    const { carriers, isDevice } = this.#deps
    if (!isDevice || carriers.length === 0) return
    void this.#announceStopping().finally(() => {
      for (const carrier of carriers) carrier.close()
    })
  }

  /** Opens all carriers, or none: if one fails, it closes the carriers before it. */
  #openCarriers(carriers: readonly PoolCarrier[]): void {
    for (const [i, carrier] of carriers.entries()) {
      try {
        carrier.open({
          received: (text, at) => this.#takeIncoming(carrier, text, at),
          ready: () => this.#pumps[i]?.wake(),
        })
      } catch (error) {
        this.#isClosed = true
        for (const pump of this.#pumps) pump.close()
        for (const opened of carriers.slice(0, i)) opened.close()
        throw failedCarrier(carrier, `pool.carriers.${i}.open`, error)
      }
    }
  }

  /** Notes that a proposal was forgotten or sealed. `id`: its record, if known. */
  #noteRemovedProposal(id?: string): void {
    this.#removedProposals = this.#deps.pool.removedProposals
    for (const open of this.#openUntil.keys())
      if (recordIds.proposal(open) === id) this.#openUntil.delete(open)
    this.#mayHaveWithdrawals = true
    this.#wake()
  }

  #emitDisputes(): void {
    const { pool, tell, log } = this.#deps
    for (const { proposal: proposalId, claw, reason } of pool.takeNewDisputes()) {
      log.warn('The pool has refused a decision that the ballots here contradict.', {
        proposal: proposalId,
        claw,
      })
      const record = recordIds.proposal(proposalId)
      tell('pool', { type: 'dispute', id: proposalId, record, claw, reason })
    }
  }

  async #takeIncoming(carrier: PoolCarrier, text: string, at: number | undefined): Promise<Taken> {
    if (this.#isClosed) throw new DaybookError('book-closed')
    const { pool, write, clock } = this.#deps
    const incoming = await readIncoming(text, pool.verify, { carrier: carrier.name, arrivedMs: at })
    return write(({ records, pool: poolTables }) =>
      takeEnvelope(openContext({ records, pool: poolTables, now: clock.now() }), incoming, this.#rateLimiter),
    )
  }

  /** The event for a record; notes an open proposal. A decided one may change too. */
  #readEvent(id: string, kind: string): PoolNews | undefined {
    const { records } = this.#deps
    const { event, openUntilMs } = readEventIfReadable(records, id, kind) ?? {}
    if (event === undefined || openUntilMs === undefined) return event
    const isDecided =
      readEventIfReadable(records, recordIds.decision(event.id), 'pool_decision') !== undefined
    if (!isDecided) this.#noteOpen(event.id, openUntilMs)
    return event
  }

  #applyNewConfig(): void {
    for (const proposalId of this.#openUntil.keys()) this.#proposalsToCount.add(proposalId)
    this.#announcements.presenceSentMs = 0
    this.#announcements.capabilitiesSentMs = 0
    this.#wake()
  }

  /**
   * Announces the key of another device of this book soon after it joins, signed with a key that the other claws
   * have.
   */
  #announceChangedOwnKeys(id: string): void {
    const { records } = this.#deps
    if (this.#pumps.length === 0 || id !== recordIds.claw(this.#ownClaw())) return
    const record = records.get(id)
    const keys = record && clawBody.safeParse(bodyOf(record)).data?.keys
    if (this.#announcements.keys === undefined || keys?.join() === this.#announcements.keys) return
    this.#announcements.capabilitiesSentMs = 0
    this.#wake()
  }

  #noteOpen(proposalId: string, due: number): void {
    // Moves the proposal to the end, so that the oldest is dropped first.
    this.#openUntil.delete(proposalId)
    this.#openUntil.set(proposalId, due)
    if (this.#openUntil.size > maxOpenProposals)
      this.#openUntil.delete(this.#openUntil.keys().next().value ?? '')
  }

  /** Schedules a run. */
  #wake(): void {
    if (!this.#deps.isDevice || this.#isClosed) return
    this.#isWoken = true
    if (this.#isRunning) return
    this.#isRunning = true
    this.#deps.scheduler.soon(() => void this.#run())
  }

  #wakeAfter(ms: number): void {
    this.#cancelTimer?.()
    if (!this.#isClosed) this.#cancelTimer = this.#deps.scheduler.later(ms, () => this.#wake())
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isClosed) {
        this.#isWoken = false
        await this.#runOnce()
      }
      const next = this.#msUntilNextRun()
      if (next !== undefined) this.#wakeAfter(next)
    } catch (error) {
      if (!this.#isClosed) {
        this.#deps.log.warn('The background work of the pool failed; it will retry.', {
          error: String(error),
        })
        this.#wakeAfter(retryMs)
      }
    } finally {
      this.#isRunning = false
    }
  }

  async #runOnce(): Promise<void> {
    const { pool, clock, keys, write } = this.#deps
    const now = clock.now()
    const hasCarriers = this.#pumps.length > 0
    this.#revision = pool.revision
    this.#emitClawChanges(now)
    const proposalsToCount = this.#takeProposalsToCount(now)
    const changedIds = this.#changedIds
    this.#changedIds = new Set()
    const isPresenceDue = hasCarriers && now >= this.#presenceDueMs()
    const isAnnouncing =
      isPresenceDue || (hasCarriers && now - this.#announcements.capabilitiesSentMs >= capabilitiesIntervalMs)
    const isBehind = this.#isBehind()
    // Due time 0 marks envelopes over the limit: they don't wait for a carrier that is behind.
    const isWaitOver = (pool.nextDue() ?? Infinity) <= (isBehind ? 0 : now)
    const mayWithdraw = this.#mayHaveWithdrawals && pool.proposed().length > 0
    this.#mayHaveWithdrawals = false
    if (isAnnouncing || isWaitOver || mayWithdraw || proposalsToCount.size + changedIds.size > 0) {
      const announcements = { ...this.#announcements }
      try {
        const key = hasCarriers ? (await keys.signer())?.key : undefined
        await write(({ records, pool: tables }) => {
          // After a rollback this runs again.
          this.#announcements = { ...announcements }
          const context = openContext({ records, pool: tables, now })
          if (mayWithdraw) sendWithdrawals(context)
          doPoolWork(context, { proposalsToCount, retryWaitingFor: changedIds, isBehind })
          if (isAnnouncing) this.#announceIfDue(context, key)
          this.#prune(context)
        })
      } catch (error) {
        // Nothing was written: the next run does all of it.
        this.#announcements = announcements
        this.#mayHaveWithdrawals ||= mayWithdraw
        for (const proposalId of proposalsToCount) this.#proposalsToCount.add(proposalId)
        for (const id of changedIds) this.#changedIds.add(id)
        throw error
      }
      this.#revision = pool.revision
    }
    for (const pump of this.#pumps) pump.wake()
  }

  #announceIfDue(context: PoolContext, key: string | undefined): void {
    const { now } = context
    updateOwnClawRecord(context, key)
    if (now >= this.#presenceDueMs()) {
      announcePresence(context)
      this.#announcements.presenceSentMs = now
      this.#announcements.hasNewClaws = false
    }
    if (now - this.#announcements.capabilitiesSentMs >= capabilitiesIntervalMs) {
      announceCapabilities(context)
      this.#announcements.capabilitiesSentMs = now
      this.#announcements.keys = readClaw(context, context.ownClaw)?.keys?.join()
    }
  }

  /** Prunes the tables, also without carriers, because agents of one book fill the outbox too. */
  #prune({ pool, now }: PoolContext): void {
    if (now - this.#announcements.prunedMs < presenceIntervalMs) return
    this.#announcements.prunedMs = now
    pool.prune(now, pool.carrierNames)
  }

  /**
   * True if a carrier has more envelopes to deliver. Without carriers: true if an overdue envelope of an earlier
   * carrier arrived within `missingCarrierMs`.
   */
  #isBehind(): boolean {
    const { carriers, pool, clock } = this.#deps
    if (carriers.length > 0) return carriers.some((carrier) => carrier.isBehind?.() === true)
    const now = clock.now()
    return pool
      .waiting({ due: now })
      .some(({ fromCarrier, at }) => fromCarrier !== undefined && at > now - missingCarrierMs)
  }

  /**
   * Emits an event for each claw that became active or inactive. Then it counts votes again, and announces presence
   * to new claws.
   */
  #emitClawChanges(now: number): void {
    const { pool, tell } = this.#deps
    const active = new Set(activeClaws(pool.presence(), now))
    const arrived = [...active].filter((claw) => !this.#activeClaws.has(claw))
    const departed = [...this.#activeClaws].filter((claw) => !active.has(claw))
    this.#activeClaws = active
    for (const id of arrived) tell('pool', { type: 'claw', id, record: recordIds.claw(id), state: 'active' })
    for (const id of departed)
      tell('pool', { type: 'claw', id, record: recordIds.claw(id), state: 'stopping' })
    if (arrived.length + departed.length === 0) return
    for (const proposalId of this.#openUntil.keys()) this.#proposalsToCount.add(proposalId)
    if (arrived.some((claw) => claw !== this.#ownClaw())) this.#announcements.hasNewClaws = true
  }

  #ownClaw(): string {
    const { records, pool } = this.#deps
    return clawOfBookAgent(configOf(records.get(configId)), pool.self)
  }

  #presenceDueMs(): number {
    return (
      this.#announcements.presenceSentMs +
      (this.#announcements.hasNewClaws ? minPresenceIntervalMs : presenceIntervalMs)
    )
  }

  #takeProposalsToCount(now: number): ReadonlySet<string> {
    const due = this.#proposalsToCount
    this.#proposalsToCount = new Set()
    for (const [proposalId, at] of this.#openUntil) {
      if (at > now) continue
      due.add(proposalId)
      // The decider may be another claw, and may leave before it decides.
      this.#openUntil.set(proposalId, now + presenceIntervalMs)
    }
    return due
  }

  /** Milliseconds until the next run; undefined if none is due. */
  #msUntilNextRun(): number | undefined {
    const { pool, clock } = this.#deps
    const now = clock.now()
    const nextDue = pool.nextDue() ?? Infinity
    const isWaitingForCarrier = nextDue > 0 && this.#isBehind()
    const dueTimes = [
      ...this.#openUntil.values(),
      isWaitingForCarrier ? Math.max(nextDue, now + retryMs) : nextDue,
    ]
    if (this.#pumps.length > 0) dueTimes.push(this.#presenceDueMs())
    // Notice a silent claw within one presence interval.
    if (this.#openUntil.size > 0) dueTimes.push(now + presenceIntervalMs)
    const next = Math.min(...dueTimes)
    return Number.isFinite(next) ? Math.max(minTimerMs, Math.min(next - now, maxTimerMs)) : undefined
  }

  /**
   * Sends the end of this book's presence directly, without the outbox, because nothing is sent later.
   * Everything before the first `await` must run inside `close`: the database is closed after it.
   */
  async #announceStopping(): Promise<void> {
    const { pool, records, clock, keys, carriers } = this.#deps
    try {
      const config = configOf(records.get(configId))
      const claw = clawOfBookAgent(config, pool.self)
      const now = clock.now()
      const payload = { group: config.group, status: 'stopping' as const, updatedAt: formatTime(now) }
      const key = announcementKey({ pool, now }, 'presence', claw, payload)
      const draft = {
        ...envelopeHead({ pool, now }, { claw, key, trace: `${idPrefixes.claw_trace}${Math.floor(now)}` }),
        type: 'presence' as const,
        payload,
      }
      const text = await signEnvelope(JSON.stringify(draft), keys)
      const outgoing = { text, type: draft.type, key: claw, group: config.group }
      await Promise.allSettled(carriers.map((carrier) => carrier.send(outgoing)))
    } catch {
      // The other claws will notice the silence.
    }
  }
}

interface PoolEvent {
  readonly event: PoolNews
  /** When a proposal ends, in milliseconds since 1970 UTC. Absent for other kinds. */
  readonly openUntilMs?: number
}

function readEventIfReadable(
  records: Pick<RecordReader, 'get'>,
  id: string,
  kind: string,
): PoolEvent | undefined {
  try {
    return readEvent(records, id, kind)
  } catch (error) {
    // The record is sealed and can't be read here, or a later Daybook wrote it.
    if (isDaybookError(error, 'locked') || !(error instanceof DaybookError)) return undefined
    throw error
  }
}

function readEvent(records: Pick<RecordReader, 'get'>, id: string, kind: string): PoolEvent | undefined {
  const record = records.get(id)
  if (!record || isSealing(record.sensitivity)) return undefined
  const body = bodyOf(record)
  switch (kind) {
    case 'pool_proposal': {
      const { proposal: proposalId, expiresAt } = poolProposalBody.parse(body)
      const openUntilMs = parseTime(expiresAt) ?? 0
      return { event: { type: 'proposal', id: proposalId, record: id }, openUntilMs }
    }
    case 'pool_ballot': {
      const proposalRecord = records.get(ballotBody.parse(body).proposal)
      return (
        proposalRecord && {
          event: {
            type: 'vote',
            id: poolProposalBody.parse(bodyOf(proposalRecord)).proposal,
            record: proposalRecord.id,
          },
        }
      )
    }
    case 'pool_decision': {
      const { outcome, proposal: proposalRecordId } = decisionBody.parse(body)
      const proposalRecord = records.get(proposalRecordId)
      const proposalId = proposalRecord && poolProposalBody.parse(bodyOf(proposalRecord)).proposal
      return proposalId === undefined
        ? undefined
        : { event: { type: 'decision', id: proposalId, record: id, outcome } }
    }
    case 'pool_fact': {
      const { fact, version } = poolFactBody.parse(body)
      return { event: { type: 'fact', id: fact, record: id, version } }
    }
    case 'pool_claw':
      return { event: { type: 'claw', id: String(body['claw']), record: id, state: 'capabilities' } }
    default:
      return undefined
  }
}
