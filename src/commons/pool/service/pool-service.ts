// The background work of the pool: opens carriers, takes in their envelopes, counts votes after changes and at
// deadlines, announces presence, and sends the outbox.
// Invariant: it writes only in transactions of the owner, and repeats interrupted work; a record that can't be read
// here causes no event.
import type { PoolNews } from '../../../core/capability/event.ts'
import type { PoolCarrier, Taken } from '../../../core/pool.ts'
import type { Service, ServiceParts } from '../../../core/capability/chapter.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { bodyOf } from '../../../core/record.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { clawBody, ballotBody, decisionBody, poolFactBody, poolProposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/text/name-id.ts'
import { Flood } from '../rule/flood.ts'
import { activeClaws, capabilitiesEveryMs, presenceEveryMs } from '../rule/presence.ts'
import { envelopeHead, openContext, ownClaw, readClaw, type PoolContext } from '../take/pool-context.ts'
import { settle, receive, takeEnvelope } from '../take/take-envelope.ts'
import { sendWithdrawals } from '../take/take-proposal.ts'
import { readConfig, configId } from '../pool-config.ts'
import { introduce, sayCapabilities, sayPresence } from './announce.ts'
import { CarrierPump, signEnvelope } from './carrier-pump.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { isSealing } from '../../../core/sealed.ts'

/** Most open proposals in memory; others wait for their next vote. */
const openLimit = 1000
/** After a new claw arrives, presence is announced once this time has passed since the last presence. */
const greetAfterMs = 5000
const retryMs = 5000
/** An envelope waits at least this long after its arrival while its carrier is missing. */
const missingCarrierMs = 86_400_000

export class PoolService implements Service {
  readonly name = 'pool'
  readonly #parts: ServiceParts
  readonly #flood = new Flood()
  readonly #pumps: readonly CarrierPump[]
  /** By id: the end of a proposal that may be open, in milliseconds since 1970 UTC. */
  readonly #open = new Map<string, number>()
  #toCount = new Set<string>()
  #toFree = new Set<string>()
  #active: ReadonlySet<string> = new Set()
  #revision = -1
  /** True if a proposal may be gone, so that a withdrawal may be due. */
  #isToWithdraw = true
  #proposalsGone = 0
  #presenceAt = 0
  /** True if a claw arrived that may have missed the last presence. */
  #isGreeting = false
  #capabilitiesAt = 0
  #prunedAt = 0
  /** The keys of this book's claw in the last announcement. */
  #announcedKeys: string | undefined
  #isRead = false
  #isRunning = false
  #isWoken = false
  #isClosed = false
  #cancel: (() => void) | undefined

  constructor(parts: ServiceParts) {
    this.#parts = parts
    const carriers = parts.isDevice ? parts.carriers : []
    this.#pumps = carriers.map((carrier) => new CarrierPump(carrier, parts))
    for (const [i, carrier] of carriers.entries()) {
      carrier.open({
        received: (text, at) => this.#received(carrier, text, at),
        ready: () => this.#pumps[i]?.wake(),
      })
    }
    if (carriers.length > 0) this.#later(0)
  }

  changed(id: string, kind: string): void {
    if (kind === 'pool_config') this.#reconfigured()
    if (kind === 'pool_claw') this.#watchOwn(id)
    const news = kind.startsWith('pool_') ? this.#newsOf(id, kind) : undefined
    if (!news) return kind === 'pool_proposal' ? this.#gone(id) : undefined
    this.#parts.tell('pool', news)
    if (news.type === 'proposal' || news.type === 'vote') this.#toCount.add(news.id)
    if (news.type === 'decision') this.#open.delete(news.id)
    this.#toFree.add(news.id)
    this.#wake()
  }

  committed(): void {
    this.#tellDisputes()
    if (this.#parts.pool.proposalsGone !== this.#proposalsGone) this.#gone()
    if (this.#parts.isDevice && this.#parts.pool.revision !== this.#revision) this.#wake()
  }

  /** Loads the proposals that were open when the book was closed. */
  idle(): void {
    if (this.#isRead || !this.#parts.isDevice) return
    this.#isRead = true
    const { records, clock } = this.#parts
    const since = formatTime(clock.now() - 7 * 86_400_000)
    const page = records.query({
      kind: 'pool_proposal',
      filters: { expiresAt: { gte: since } },
      limit: openLimit,
    })
    for (const { id } of page.records) this.#newsOf(id, 'pool_proposal')
    for (const proposal of this.#open.keys()) this.#toCount.add(proposal)
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
    this.#cancel?.()
    for (const pump of this.#pumps) pump.close()
    const { carriers, isDevice } = this.#parts
    if (!isDevice || carriers.length === 0) return
    void this.#sayStopping().finally(() => {
      for (const carrier of carriers) carrier.close()
    })
  }

  /** Notes that a proposal was forgotten or sealed. `id`: its record, if known. */
  #gone(id?: string): void {
    this.#proposalsGone = this.#parts.pool.proposalsGone
    for (const open of this.#open.keys()) if (recordIds.proposal(open) === id) this.#open.delete(open)
    this.#isToWithdraw = true
    this.#wake()
  }

  #tellDisputes(): void {
    const { pool, tell, log } = this.#parts
    for (const { proposal, claw, reason } of pool.disputes()) {
      log.warn('The pool has refused a decision that the ballots here contradict.', { proposal, claw })
      tell('pool', { type: 'dispute', id: proposal, record: recordIds.proposal(proposal), claw, reason })
    }
  }

  async #received(carrier: PoolCarrier, text: string, at: number | undefined): Promise<Taken> {
    if (this.#isClosed) throw new DaybookError('book-closed')
    const { pool, write, clock } = this.#parts
    const received = await receive(text, pool.verify, { from: carrier.name, at })
    return write(({ records, pool: tables }) =>
      takeEnvelope(openContext({ records, pool: tables, now: clock.now() }), received, this.#flood),
    )
  }

  /** The event for a record; notes an open proposal. */
  #newsOf(id: string, kind: string): PoolNews | undefined {
    const read = readNews(this.#parts.records, id, kind)
    if (read?.due !== undefined) this.#noteOpen(read.news.id, read.due)
    return read?.news
  }

  #reconfigured(): void {
    for (const proposal of this.#open.keys()) this.#toCount.add(proposal)
    this.#presenceAt = 0
    this.#capabilitiesAt = 0
    this.#wake()
  }

  /**
   * Announces the key of another device of this book soon after it joins, signed with a key that the other claws
   * have.
   */
  #watchOwn(id: string): void {
    const { records } = this.#parts
    if (this.#pumps.length === 0 || id !== recordIds.claw(this.#own())) return
    const record = records.get(id)
    const keys = record && clawBody.safeParse(bodyOf(record)).data?.keys
    if (this.#announcedKeys === undefined || keys?.join() === this.#announcedKeys) return
    this.#capabilitiesAt = 0
    this.#wake()
  }

  #noteOpen(proposal: string, due: number): void {
    this.#open.delete(proposal)
    this.#open.set(proposal, due)
    if (this.#open.size > openLimit) this.#open.delete(this.#open.keys().next().value ?? '')
  }

  /** Schedules a run. */
  #wake(): void {
    if (!this.#parts.isDevice || this.#isClosed) return
    this.#isWoken = true
    if (this.#isRunning) return
    this.#isRunning = true
    this.#parts.scheduler.soon(() => void this.#run())
  }

  #later(ms: number): void {
    this.#cancel?.()
    if (!this.#isClosed) this.#cancel = this.#parts.scheduler.later(ms, () => this.#wake())
  }

  async #run(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isClosed) {
        this.#isWoken = false
        await this.#once()
      }
      const next = this.#untilNext()
      if (next !== undefined) this.#later(next)
    } catch (error) {
      if (!this.#isClosed) {
        this.#parts.log.warn('The background work of the pool failed; it will retry.', {
          error: String(error),
        })
        this.#later(retryMs)
      }
    } finally {
      this.#isRunning = false
    }
  }

  async #once(): Promise<void> {
    const { pool, clock, keys, write } = this.#parts
    const now = clock.now()
    const isSpeaking = this.#pumps.length > 0
    this.#revision = pool.revision
    this.#watchClaws(now)
    const toCount = this.#takeDue(now)
    const toFree = this.#toFree
    this.#toFree = new Set()
    const isPresenceDue = isSpeaking && now >= this.#presenceDue()
    const isAnnouncing = isPresenceDue || (isSpeaking && now - this.#capabilitiesAt >= capabilitiesEveryMs)
    const isBehind = this.#isBehind()
    const isWaitingOver = (pool.nextDue() ?? Infinity) <= (isBehind ? 0 : now)
    const isToWithdraw = this.#isToWithdraw && pool.proposed().length > 0
    this.#isToWithdraw = false
    if (isAnnouncing || isWaitingOver || isToWithdraw || toCount.size + toFree.size > 0) {
      const key = isSpeaking ? (await keys.signer())?.key : undefined
      await write(({ records, pool: tables }) => {
        const context = openContext({ records, pool: tables, now })
        if (isToWithdraw) sendWithdrawals(context)
        settle(context, { count: toCount, frees: toFree, isBehind })
        if (isAnnouncing) this.#announce(context, key)
        this.#prune(context)
      })
      this.#revision = pool.revision
    }
    for (const pump of this.#pumps) pump.wake()
  }

  #announce(context: PoolContext, key: string | undefined): void {
    const { now } = context
    introduce(context, key)
    if (now >= this.#presenceDue()) {
      sayPresence(context, 'active')
      this.#presenceAt = now
      this.#isGreeting = false
    }
    if (now - this.#capabilitiesAt >= capabilitiesEveryMs) {
      sayCapabilities(context)
      this.#capabilitiesAt = now
      this.#announcedKeys = readClaw(context, context.own)?.keys?.join()
    }
  }

  /** Prunes the tables, also without carriers, because agents of one book fill the outbox too. */
  #prune({ pool, now }: PoolContext): void {
    if (now - this.#prunedAt < presenceEveryMs) return
    this.#prunedAt = now
    pool.prune(now, pool.carriers)
  }

  /**
   * True if a carrier has more envelopes to deliver. Without carriers: true if an overdue envelope of an earlier
   * carrier arrived within `missingCarrierMs`.
   */
  #isBehind(): boolean {
    const { carriers, pool, clock } = this.#parts
    if (carriers.length > 0) return carriers.some((carrier) => carrier.isBehind?.() === true)
    const now = clock.now()
    return pool
      .waiting({ due: now })
      .some(({ from, at }) => from !== undefined && at > now - missingCarrierMs)
  }

  /**
   * Emits an event for each claw that became active or inactive. Then it counts votes again, and announces presence
   * to new claws.
   */
  #watchClaws(now: number): void {
    const { pool, tell } = this.#parts
    const active = new Set(activeClaws(pool.presence(), now))
    const came = [...active].filter((claw) => !this.#active.has(claw))
    const gone = [...this.#active].filter((claw) => !active.has(claw))
    this.#active = active
    for (const id of came) tell('pool', { type: 'claw', id, record: recordIds.claw(id), state: 'active' })
    for (const id of gone) tell('pool', { type: 'claw', id, record: recordIds.claw(id), state: 'stopping' })
    if (came.length + gone.length === 0) return
    for (const proposal of this.#open.keys()) this.#toCount.add(proposal)
    if (came.some((claw) => claw !== this.#own())) this.#isGreeting = true
  }

  #own(): string {
    const { records, pool } = this.#parts
    return ownClaw(readConfig(records.get(configId)), pool.self)
  }

  #presenceDue(): number {
    return this.#presenceAt + (this.#isGreeting ? greetAfterMs : presenceEveryMs)
  }

  #takeDue(now: number): ReadonlySet<string> {
    const due = this.#toCount
    this.#toCount = new Set()
    for (const [proposal, at] of this.#open) {
      if (at > now) continue
      due.add(proposal)
      // The decider may be another claw, and may leave before it decides.
      this.#open.set(proposal, now + presenceEveryMs)
    }
    return due
  }

  /** Milliseconds until the next run; undefined if none is due. */
  #untilNext(): number | undefined {
    const { pool, clock } = this.#parts
    const now = clock.now()
    const nextDue = pool.nextDue() ?? Infinity
    const isLeft = nextDue > 0 && this.#isBehind()
    const dues = [...this.#open.values(), isLeft ? Math.max(nextDue, now + retryMs) : nextDue]
    if (this.#pumps.length > 0) dues.push(this.#presenceDue())
    // Notice a silent claw within one presence interval.
    if (this.#open.size > 0) dues.push(now + presenceEveryMs)
    const next = Math.min(...dues)
    return Number.isFinite(next) ? Math.max(50, Math.min(next - now, 3_600_000)) : undefined
  }

  /** Sends the end of this book's presence directly, without the outbox, because nothing is sent later. */
  async #sayStopping(): Promise<void> {
    const { pool, records, clock, keys, carriers } = this.#parts
    try {
      const config = readConfig(records.get(configId))
      const claw = ownClaw(config, pool.self)
      const now = clock.now()
      const key = `knowledge:presence:${claw}:${pool.self.instance}:${Math.floor(now / 1000)}:stopping`
      const draft = {
        ...envelopeHead({ pool, now }, { claw, key, trace: `tr-${Math.floor(now)}` }),
        type: 'presence' as const,
        payload: { group: config.group, status: 'stopping' as const, updatedAt: formatTime(now) },
      }
      const text = await signEnvelope(JSON.stringify(draft), keys)
      const out = { text, type: draft.type, key: claw, group: config.group }
      await Promise.allSettled(carriers.map((carrier) => carrier.send(out)))
    } catch {
      // The other claws will notice the silence.
    }
  }
}

interface ReadNews {
  readonly news: PoolNews
  /** When a proposal ends, in milliseconds since 1970 UTC. Absent for other kinds. */
  readonly due?: number
}

function readNews(records: Pick<RecordReader, 'get'>, id: string, kind: string): ReadNews | undefined {
  try {
    return newsOf(records, id, kind)
  } catch (error) {
    // The record is sealed and can't be read here, or a later Daybook wrote it.
    if (isDaybookError(error, 'locked') || !(error instanceof DaybookError)) return undefined
    throw error
  }
}

function newsOf(records: Pick<RecordReader, 'get'>, id: string, kind: string): ReadNews | undefined {
  const record = records.get(id)
  if (!record || isSealing(record.sensitivity)) return undefined
  const body = bodyOf(record)
  switch (kind) {
    case 'pool_proposal': {
      const { proposal, expiresAt } = poolProposalBody.parse(body)
      return { news: { type: 'proposal', id: proposal, record: id }, due: parseTime(expiresAt) ?? 0 }
    }
    case 'pool_ballot': {
      const of = records.get(ballotBody.parse(body).proposal)
      return of && { news: { type: 'vote', id: poolProposalBody.parse(bodyOf(of)).proposal, record: of.id } }
    }
    case 'pool_decision': {
      const { outcome, proposal } = decisionBody.parse(body)
      const of = records.get(proposal)
      const name = of && poolProposalBody.parse(bodyOf(of)).proposal
      return name === undefined ? undefined : { news: { type: 'decision', id: name, record: id, outcome } }
    }
    case 'pool_fact': {
      const { fact, version } = poolFactBody.parse(body)
      return { news: { type: 'fact', id: fact, record: id, version } }
    }
    case 'pool_claw':
      return { news: { type: 'claw', id: String(body['claw']), record: id, state: 'capabilities' } }
    default:
      return undefined
  }
}
