// The work of the pool beside the calls: it opens the carriers and takes in what they bring, counts votes when something has
// changed or is due, tells who is there, and sends what waits.
// Invariant: whatever it does it does in transactions of the owner's, and again after an end in the middle of it.
import type { PoolNews } from '../../../core/capability/event.ts'
import type { PoolCarrier, Taken } from '../../../core/pool/pool-carrier.ts'
import type { Service, ServiceParts } from '../../../core/capability/service.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { bodyOf } from '../../../core/record.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { clawBody, ballotBody, decisionBody, factBody, proposalBody } from '../pool-kind.ts'
import { recordIds } from '../../../core/pool/pool-record-id.ts'
import { Flood } from '../rule/flood.ts'
import { activeClaws, capabilitiesEveryMs, presenceEveryMs } from '../rule/presence.ts'
import { headFor, openScene, ownClaw, readClaw, type Scene } from '../take/pool-context.ts'
import { settle, receive, takeIn } from '../take/take-in.ts'
import { withdrawGone } from '../take/take-proposal.ts'
import { readConfig, configId } from '../pool-config.ts'
import { introduce, sayCapabilities, sayPresence } from './announce.ts'
import { CarrierPump, signEnvelope } from './carrier-pump.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { isSealing } from '../../../core/sealed.ts'

/** Undecided proposals that are looked after; more than that wait for a vote on them. */
const openLimit = 1000
/** A newcomer is greeted, but nobody says twice within this time that it is there. */
const greetAfterMs = 5000
const retryMs = 5000
/** What came over a carrier is kept so long by a book that is opened without it. */
const withoutMs = 86_400_000

export class PoolService implements Service {
  readonly name = 'pool'
  readonly #parts: ServiceParts
  readonly #flood = new Flood()
  readonly #pumps: readonly CarrierPump[]
  /** When proposals that may be undecided are given up, milliseconds. */
  readonly #open = new Map<string, number>()
  #toCount = new Set<string>()
  #toFree = new Set<string>()
  #active: ReadonlySet<string> = new Set()
  #revision = -1
  /** A proposal may be gone of which the others are to be told. */
  #isToWithdraw = true
  #proposalsGone = 0
  #presenceAt = 0
  #capabilitiesAt = 0
  #prunedAt = 0
  /** The keys of the claw of this book, as the others were last told. */
  #saidKeys: string | undefined
  #isRead = false
  #isRunning = false
  #isAsked = false
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
    this.#wanted()
  }

  committed(): void {
    this.#tellDisputes()
    if (this.#parts.pool.proposalsGone !== this.#proposalsGone) this.#gone()
    if (this.#parts.isDevice && this.#parts.pool.revision !== this.#revision) this.#wanted()
  }

  /** Proposals that were open when the book was closed. */
  idle(): void {
    if (this.#isRead || !this.#parts.isDevice) return
    this.#isRead = true
    const { records, clock } = this.#parts
    const since = formatTime(clock.now() - 7 * 86_400_000)
    const page = records.query({
      kind: 'pool_proposal',
      filters: { expires_at: { gte: since } },
      limit: openLimit,
    })
    for (const { id } of page.records) this.#newsOf(id, 'pool_proposal')
    for (const proposal of this.#open.keys()) this.#toCount.add(proposal)
    this.#wanted()
  }

  wake(): void {
    for (const pump of this.#pumps) pump.wake()
    if (this.#pumps.length > 0) this.#wanted()
  }

  degraded(): string | undefined {
    const said = this.#pumps.flatMap((pump) => pump.degraded() ?? [])
    return said.length === 0 ? undefined : said.join(' ')
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

  /** A proposal is not here any more, or sealed. */
  #gone(id?: string): void {
    this.#proposalsGone = this.#parts.pool.proposalsGone
    for (const open of this.#open.keys()) if (recordIds.proposal(open) === id) this.#open.delete(open)
    this.#isToWithdraw = true
    this.#wanted()
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
    const arrival = await receive(text, pool.verify, { from: carrier.name, at })
    return write(({ records, pool: tables }) =>
      takeIn(openScene({ records, pool: tables, now: clock.now() }), arrival, this.#flood),
    )
  }

  /** What to tell of a record, and what is to be remembered of it. */
  #newsOf(id: string, kind: string): PoolNews | undefined {
    const read = readNews(this.#parts.records, id, kind)
    if (read?.due !== undefined) this.#noteOpen(read.news.id, read.due)
    return read?.news
  }

  #reconfigured(): void {
    for (const proposal of this.#open.keys()) this.#toCount.add(proposal)
    this.#presenceAt = 0
    this.#capabilitiesAt = 0
    this.#wanted()
  }

  /** Another device of this book has come: the others are told its key at once, under one that they know. */
  #watchOwn(id: string): void {
    const { records, pool } = this.#parts
    const own = ownClaw(readConfig(records.get(configId)), pool.self)
    if (this.#pumps.length === 0 || id !== recordIds.claw(own)) return
    const record = records.get(id)
    const keys = record && clawBody.safeParse(bodyOf(record)).data?.keys
    if (this.#saidKeys === undefined || keys?.join() === this.#saidKeys) return
    this.#capabilitiesAt = 0
    this.#wanted()
  }

  #noteOpen(proposal: string, due: number): void {
    this.#open.delete(proposal)
    this.#open.set(proposal, due)
    if (this.#open.size > openLimit) this.#open.delete(this.#open.keys().next().value ?? '')
  }

  /** Something is to be done soon. */
  #wanted(): void {
    if (!this.#parts.isDevice || this.#isClosed) return
    this.#isAsked = true
    if (this.#isRunning) return
    this.#isRunning = true
    this.#parts.scheduler.soon(() => void this.#run())
  }

  #later(ms: number): void {
    this.#cancel?.()
    if (!this.#isClosed) this.#cancel = this.#parts.scheduler.later(ms, () => this.#wanted())
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAsked && !this.#isClosed) {
        this.#isAsked = false
        await this.#once()
      }
      const next = this.#untilNext()
      if (next !== undefined) this.#later(next)
    } catch (error) {
      if (!this.#isClosed) {
        this.#parts.log.warn('The pool could not go on; it tries again.', { error: String(error) })
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
    const isPresenceDue = isSpeaking && now - this.#presenceAt >= presenceEveryMs
    const isTelling = isPresenceDue || (isSpeaking && now - this.#capabilitiesAt >= capabilitiesEveryMs)
    const isBehind = this.#isBehind()
    const isWaitingOver = (pool.nextDue() ?? Infinity) <= (isBehind ? 0 : now)
    const isToWithdraw = this.#isToWithdraw && pool.proposed().length > 0
    this.#isToWithdraw = false
    if (isTelling || isWaitingOver || isToWithdraw || toCount.size + toFree.size > 0) {
      const key = isSpeaking ? (await keys.signer())?.key : undefined
      await write(({ records, pool: tables }) => {
        const scene = openScene({ records, pool: tables, now })
        if (isToWithdraw) withdrawGone(scene)
        settle(scene, { count: toCount, frees: toFree, isBehind })
        if (isTelling) this.#announce(scene, key)
        this.#prune(scene)
      })
      this.#revision = pool.revision
    }
    for (const pump of this.#pumps) pump.wake()
  }

  #announce(scene: Scene, key: string | undefined): void {
    const { now } = scene
    introduce(scene, key)
    if (now - this.#presenceAt >= presenceEveryMs) {
      sayPresence(scene, 'active')
      this.#presenceAt = now
    }
    if (now - this.#capabilitiesAt >= capabilitiesEveryMs) {
      sayCapabilities(scene)
      this.#capabilitiesAt = now
      this.#saidKeys = readClaw(scene, scene.own)?.keys?.join()
    }
  }

  /** Also where nobody is told anything: what agents of one book say to each other stands in its outbox too. */
  #prune({ pool, now }: Scene): void {
    if (now - this.#prunedAt < presenceEveryMs) return
    this.#prunedAt = now
    pool.prune(now, pool.carriers)
  }

  /** More may come over a carrier; or what is due came over one that this book was opened without, for a moment. */
  #isBehind(): boolean {
    const { carriers, pool, clock } = this.#parts
    if (carriers.length > 0) return carriers.some((carrier) => carrier.isBehind?.() === true)
    const now = clock.now()
    return pool.waiting({ due: now }).some(({ from, at }) => from !== undefined && at > now - withoutMs)
  }

  /** Tells who came and went; whoever comes is greeted, and votes count anew. */
  #watchClaws(now: number): void {
    const { pool, tell } = this.#parts
    const active = new Set(activeClaws(pool.presence(), now))
    const came = [...active].filter((claw) => !this.#active.has(claw))
    const left = [...this.#active].filter((claw) => !active.has(claw))
    this.#active = active
    for (const id of came) tell('pool', { type: 'claw', id, record: recordIds.claw(id), state: 'active' })
    for (const id of left) tell('pool', { type: 'claw', id, record: recordIds.claw(id), state: 'stopping' })
    if (came.length + left.length === 0) return
    for (const proposal of this.#open.keys()) this.#toCount.add(proposal)
    if (came.length > 0 && now - this.#presenceAt >= greetAfterMs) this.#presenceAt = 0
  }

  #takeDue(now: number): ReadonlySet<string> {
    const due = this.#toCount
    this.#toCount = new Set()
    for (const [proposal, at] of this.#open) {
      if (at > now) continue
      due.add(proposal)
      // Somebody else may have to decide it, and be gone by then.
      this.#open.set(proposal, now + presenceEveryMs)
    }
    return due
  }

  /** Milliseconds until there is something to do by itself; undefined when there is nothing. */
  #untilNext(): number | undefined {
    const { pool, clock } = this.#parts
    const now = clock.now()
    const nextDue = pool.nextDue() ?? Infinity
    const isLeft = nextDue > 0 && this.#isBehind()
    const dues = [...this.#open.values(), isLeft ? Math.max(nextDue, now + retryMs) : nextDue]
    if (this.#pumps.length > 0) dues.push(this.#presenceAt + presenceEveryMs)
    // A claw that falls silent is noticed within the time of one presence.
    if (this.#open.size > 0) dues.push(now + presenceEveryMs)
    const next = Math.min(...dues)
    return Number.isFinite(next) ? Math.max(50, Math.min(next - now, 3_600_000)) : undefined
  }

  /** The last word of this book: it is not in the outbox, since nothing is sent after it. */
  async #sayStopping(): Promise<void> {
    const { pool, records, clock, keys, carriers } = this.#parts
    try {
      const config = readConfig(records.get(configId))
      const claw = ownClaw(config, pool.self)
      const now = clock.now()
      const key = `knowledge:presence:${claw}:${pool.self.instance}:${Math.floor(now / 1000)}:stopping`
      const draft = {
        ...headFor({ pool, now }, { claw, key, trace: `tr-${Math.floor(now)}` }),
        type: 'presence' as const,
        payload: { group: config.group, status: 'stopping' as const, updatedAt: formatTime(now) },
      }
      const text = await signEnvelope(JSON.stringify(draft), keys)
      const out = { text, type: draft.type, key: claw, group: config.group }
      await Promise.allSettled(carriers.map((carrier) => carrier.send(out)))
    } catch {
      // Whoever does not hear it finds out by the silence.
    }
  }
}

// What is told of a record of the pool that has changed. Invariant: of what can't be read here nothing is told, and nothing fails.
export interface ReadNews {
  readonly news: PoolNews
  /** When a proposal is given up, milliseconds. */
  readonly due?: number
}

export function readNews(records: Pick<RecordReader, 'get'>, id: string, kind: string): ReadNews | undefined {
  try {
    return newsOf(records, id, kind)
  } catch (error) {
    // It is sealed, and nobody can read it here now; or a later Daybook wrote it.
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
      const { proposal, expires_at } = proposalBody.parse(body)
      return { news: { type: 'proposal', id: proposal, record: id }, due: parseTime(expires_at) ?? 0 }
    }
    case 'pool_ballot': {
      const of = records.get(ballotBody.parse(body).proposal)
      return of && { news: { type: 'vote', id: proposalBody.parse(bodyOf(of)).proposal, record: of.id } }
    }
    case 'pool_decision': {
      const { outcome, proposal } = decisionBody.parse(body)
      const of = records.get(proposal)
      const name = of && proposalBody.parse(bodyOf(of)).proposal
      return name === undefined ? undefined : { news: { type: 'decision', id: name, record: id, outcome } }
    }
    case 'pool_fact': {
      const { fact, version } = factBody.parse(body)
      return { news: { type: 'fact', id: fact, record: id, version } }
    }
    case 'pool_claw':
      return { news: { type: 'claw', id: String(body['claw']), record: id, state: 'capabilities' } }
    default:
      return undefined
  }
}
