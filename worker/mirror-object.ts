// The mirror of one book as a Durable Object: opens the book, and runs the jobs of its alarm.
import { DurableObject } from 'cloudflare:workers'
import { DaybookError, toDaybookError } from '../src/core/errors.ts'
import { DatabaseAgentGate, parseAgentRate } from '../src/edge/agent/agent-gate.ts'
import type { AgentAnswer, AgentRequest } from '../src/edge/agent/run-agent-call.ts'
import { maxSilenceMs } from '../src/commons/room/mirror-presence.ts'
import { MirrorService, edgeAgent } from '../src/edge/mirror-service.ts'
import { unknownBearerError } from '../src/trust/admission.ts'
import { bookErasedError } from '../src/edge/book-erasure.ts'
import type {
  EraseOrBeginRequest,
  MirrorBook,
  AgentCredentials,
  CallOptions,
  MirrorDoor,
  Credentials,
} from '../src/edge/mirror-door.ts'
import { createEngine, type Engine } from '../src/engine/engine.ts'
import { SyncMirror } from '../src/sync/mirror/mirror.ts'
import { readTombstone } from '../src/store/mirror/tombstone.ts'
import { isBook } from '../src/store/schema/version.ts'
import type { TicketRequest } from '../src/sync/wire/live-wire.ts'
import { openDoDatabase } from './do-database.ts'
import { JobTable, embedJobName, EmbedJob, taskJobName, TaskJob } from './object-jobs.ts'
import { edgeArchivePlaces, edgeArchiveSchedule } from '../src/edge/archive/edge-archive.ts'
import { edgeLlm, edgeEmbedderSource } from '../src/edge/edge-models.ts'
import type { EdgeEnv } from '../src/edge/edge-env.ts'
import { forgetEndedKeys } from '../src/edge/forget-ended-keys.ts'
import { type LiveBook, LiveLines, parseUpgradeOffer } from '../src/edge/live-lines.ts'
import { createObjectUploadNotes, createObjectEraser } from './object-storage.ts'
import { ObjectLines, openReadyState } from './object-lines.ts'
import type { Outcome } from '../src/edge/outcome.ts'
import { parseQuotas } from '../src/edge/guest-quota.ts'
import { CallerRates, parseRate } from '../src/edge/rate-limit.ts'
import { workerKeyring, workerPorts } from './worker-ports.ts'
import { openBookZone } from '../src/web/web-zone.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
/** Pause between two runs of the jobs `agents` and `lines`. */
const sweepEveryMs = 300_000
/** Delay before a failed job runs again. */
const jobRetryMs = 300_000

/** The open book, with its parts that the jobs of the alarm use. */
interface OpenBook {
  readonly engine: Engine
  /** Undefined if newer code wrote the book. The book is then read-only. */
  readonly mirror: SyncMirror | undefined
  readonly rate: CallerRates
  readonly agents: DatabaseAgentGate
  /** The jobs of the alarm. */
  readonly due: JobTable
  readonly tasks: TaskJob
  /** Undefined without an embedder for records, or if newer code wrote the book. */
  readonly vectors: EmbedJob | undefined
  /** `live`: the rules of live lines, on any host; `lines`: their sockets and tickets in this object. */
  readonly live: LiveLines
  readonly lines: ObjectLines
  /** The parts of the book that `live` needs. */
  readonly book: LiveBook
}

export class Mirror extends DurableObject<EdgeEnv> implements MirrorDoor {
  #opened: OpenBook | undefined
  readonly #eraser = createObjectEraser(this.ctx, {
    book: this.ctx.id.name ?? '',
    clock: workerPorts.clock,
    close: () => this.#close(),
  })
  readonly #door = new MirrorService(
    (createIfMissing, work) => this.#withBook(createIfMissing, work),
    this.#eraser,
  )

  /** Opens the book at the first call, so that the caller gets an error of opening. */
  #open(): OpenBook {
    if (this.#opened) return this.#opened
    const db = openDoDatabase(this.ctx.storage)
    const tombstone = readTombstone(db)
    if (tombstone && !tombstone.isReplaced) throw bookErasedError(tombstone.at)
    const embedder = edgeEmbedderSource(this.env)
    const engine = createEngine({
      db,
      ports: workerPorts,
      keys: workerKeyring,
      name: this.ctx.id.name ?? '',
      scope: { agent: edgeAgent },
      durability: 'durable-object',
      role: 'mirror',
      zone: openBookZone('UTC'),
      // `TaskJob` wakes the engine in alarms.
      wakesTasks: true,
      llm: edgeLlm(this.env),
      quotas: parseQuotas(this.env),
      archives: edgeArchivePlaces(this.env, createObjectUploadNotes(this.ctx.storage)),
      recurring: edgeArchiveSchedule(this.env, workerPorts.log),
      embedder,
    })
    // Defined if newer code wrote the book.
    const { newer } = engine.store
    // `erasedAt`: devices of an erased book of this name get `book-erased`.
    const mirror = newer
      ? undefined
      : new SyncMirror({ store: engine.store, ...workerPorts, erasedAt: tombstone?.at })
    const rate = new CallerRates(db, workerPorts.clock, parseRate(this.env.DAYBOOK_RATE))
    const agents = new DatabaseAgentGate(db, workerPorts.clock, parseAgentRate(this.env.DAYBOOK_A2P_RATE))
    const due = new JobTable(db)
    due.ensure('tidy', Date.now() + dayMs)
    const tasks = new TaskJob(engine, due)
    // Retries and postponed tasks change the next due time.
    engine.on(({ name }) => name === 'task' && void this.#planJobs().catch(() => undefined))
    const vectors = embedder && !newer ? new EmbedJob(engine, due) : undefined
    const lines = new ObjectLines(this.ctx, workerPorts)
    const book: LiveBook = {
      store: engine.store,
      meetingRoom: engine.meeting,
      recheck: (standing) => engine.recheck(standing),
    }
    const live = new LiveLines(
      { lines: (device) => lines.open(device), withBook: (work) => work(book), ...workerPorts },
      // The last place of the book's sequence.
      engine.store.settings.getNumber('head'),
    )
    engine.on(({ name }) => {
      if (name === 'change') live.announceChange(book)
      if (name !== 'room') return
      live.sendRoomEvents(book)
      due.ensure('room', Date.now() + maxSilenceMs)
      void this.#setAlarm(due)
    })
    this.#opened = { engine, mirror, rate, agents, due, tasks, vectors, live, lines, book }
    tasks.plan()
    vectors?.plan()
    void this.#setAlarm(due)
    return this.#opened
  }

  /** Closes an erased book. */
  #close(): void {
    this.#opened?.engine.close()
    this.#opened = undefined
  }

  /** Plans the jobs of tasks and vectors, and sets the alarm if a plan changed. */
  async #planJobs(): Promise<void> {
    // The book was erased meanwhile, or could not be opened.
    if (!this.#opened) return
    const { tasks, due, vectors } = this.#opened
    const plans = [tasks.plan(), vectors?.plan()]
    if (plans.includes(true)) await this.#setAlarm(due)
  }

  /** Sets the alarm for the earliest job. */
  async #setAlarm(due: JobTable): Promise<void> {
    const nextMs = due.earliestMs()
    const scheduledMs = await this.ctx.storage.getAlarm()
    if (nextMs !== undefined && nextMs !== scheduledMs) await this.ctx.storage.setAlarm(nextMs)
  }

  /** Runs the due jobs. A failed job doesn't stop the others. */
  override async alarm(): Promise<void> {
    // The alarm was set before the book was erased.
    if (await this.#eraser.tombstone()) return
    const { due } = this.#open()
    for (const job of due.take(Date.now())) {
      try {
        await this.#runJob(job)
      } catch (error) {
        const { code, message } = toDaybookError(error)
        workerPorts.log.warn('A job of a mirror failed', { job, code, message })
        due.plan(job, Date.now() + jobRetryMs)
      }
    }
    await this.#setAlarm(due)
  }

  /**
   * Runs a job: the tasks; the vectors; `tidy`, once a day: old tombstones and ended keys; the removal of full rate
   * buckets (`rates`), of expired nonces (`agents`), of silent participants (`room`) and of silent or expired lines
   * (`lines`). A job that has nothing left is not planned again.
   */
  async #runJob(job: string): Promise<void> {
    const { engine, mirror, rate, agents, due, tasks, vectors, live, book } = this.#open()
    if (job === embedJobName) await vectors?.run()
    if (job === taskJobName) {
      await tasks.run()
      tasks.plan()
    }
    if (job === 'tidy') {
      if (mirror) {
        await mirror.collectTombstones()
        await forgetEndedKeys(engine, Date.now())
      }
      due.plan('tidy', Date.now() + dayMs)
    }
    if (job === 'rates' && rate.removeFullBuckets() > 0) due.plan('rates', Date.now() + hourMs)
    if (job === 'agents' && agents.sweep() > 0) due.plan('agents', Date.now() + sweepEveryMs)
    if (job === 'room') {
      const nextMs = await live.sweepRoom(book)
      if (nextMs !== undefined) due.plan('room', Math.max(nextMs, Date.now() + 1000))
    }
    if (job === 'lines' && live.sweep(book) > 0) {
      due.plan('lines', Date.now() + sweepEveryMs)
      this.#planLineExpiry()
    }
  }

  /** Plans a sweep at the expiry of the next connection. */
  #planLineExpiry(): void {
    const { live, due } = this.#open()
    const endMs = live.nextExpiryMs()
    if (endMs !== undefined) due.planEarlier('lines', Math.max(endMs, Date.now() + 1000))
  }

  /** Runs one request. Plans its follow-up jobs before the answer. */
  async #withBook<Result>(
    createIfMissing: boolean,
    work: (book: MirrorBook) => Promise<Result>,
  ): Promise<Result> {
    // This error without a bearer is the sign of a missing book: `throwForBearer` (edge/mirror-service.ts)
    // reads it.
    if (!createIfMissing && !this.#opened && !isBook(openDoDatabase(this.ctx.storage)))
      throw unknownBearerError()
    const opened = this.#open()
    try {
      return await work(this.#toMirrorBook(opened))
    } finally {
      await this.#planJobs()
    }
  }

  #toMirrorBook({ engine, mirror, rate, agents, due, live, lines, book }: OpenBook): MirrorBook {
    return {
      engine,
      mirror,
      rate: {
        charge(caller) {
          rate.charge(caller)
          // Sets no alarm for it: the next alarm of any job runs it, once it is due.
          due.ensure('rates', Date.now() + hourMs)
        },
      },
      agents: {
        charge: async (caller, operation) => {
          const state = agents.charge(caller, operation)
          due.ensure('agents', Date.now() + sweepEveryMs)
          await this.#setAlarm(due)
          return state
        },
        takeNonce: (agent, nonce, untilMs) => agents.takeNonce(agent, nonce, untilMs),
      },
      noteSynced(device, cursor) {
        if (cursor !== undefined) live.synced(device, cursor, book)
        live.announceChange(book)
      },
      lines: {
        admit: (standing) => live.admit(standing, book),
        issueTicket: async (listener) => {
          const ticket = lines.issueTicket(listener)
          due.ensure('lines', Date.now() + sweepEveryMs)
          await this.#setAlarm(due)
          return ticket
        },
      },
    }
  }

  // RPC requires these methods on the class itself.
  admit(capabilityId: string, credentials: Credentials): Promise<Outcome<void>> {
    return this.#door.admit(capabilityId, credentials)
  }

  exchange(request: string, credentials?: Credentials): Promise<Outcome<string>> {
    return this.#door.exchange(request, credentials)
  }

  ticket(request: TicketRequest, credentials: Credentials): Promise<Outcome<unknown>> {
    return this.#door.ticket(request, credentials)
  }

  erase(request: EraseOrBeginRequest, credentials: Credentials): Promise<Outcome<unknown>> {
    return this.#door.erase(request, credentials)
  }

  begin(request: EraseOrBeginRequest, credentials: Credentials): Promise<Outcome<unknown>> {
    return this.#door.begin(request, credentials)
  }

  agentCall(request: AgentRequest, credentials: AgentCredentials): Promise<AgentAnswer> {
    return this.#door.agentCall(request, credentials)
  }

  call(id: string, input: unknown, options: Credentials & CallOptions = {}): Promise<Outcome<unknown>> {
    return this.#door.call(id, input, options)
  }

  /** Upgrades to a WebSocket. A missing book has no tickets, and is not created. */
  override async fetch(request: Request): Promise<Response> {
    try {
      if (!this.#opened && !isBook(openDoDatabase(this.ctx.storage)))
        throw new DaybookError('unauthorized', 'The ticket is unknown. Get another one.')
      const { live, lines, book } = this.#open()
      const { ticket, version } = parseUpgradeOffer(request.headers)
      const listener = lines.redeemTicket(ticket)
      live.admit(listener.standing, book)
      const { line, response } = lines.accept(live.startLine(listener, version))
      live.pokeNewLine(line, book)
      this.#planLineExpiry()
      await this.#setAlarm(this.#open().due)
      return response
    } catch (error) {
      return Response.json(toDaybookError(error).toJSON(), { status: 400 })
    }
  }

  override webSocketMessage(socket: WebSocket, message: ArrayBuffer | string): void {
    // A socket that is closing gets no more answers.
    if (socket.readyState !== openReadyState) return
    const { live, lines } = this.#open()
    live.receive(lines.lineOf(socket), typeof message === 'string' ? message : undefined)
  }

  /** Answers the closing handshake (RFC 6455, section 7.1.2). */
  override webSocketClose(socket: WebSocket, code: number): void {
    // Codes such as 1005 (no code) must not be sent.
    socket.close(isSendable(code) ? code : undefined)
  }
}

const isSendable = (code: number) => code === 1000 || (code >= 3000 && code < 5000)
