// The mirror of one book as a Durable Object: opens the book, and runs the jobs of its alarm.
import { DurableObject } from 'cloudflare:workers'
import { DaybookError, toDaybookError } from '../src/core/errors.ts'
import { DatabaseAgentGate, readAgentRate } from '../src/edge/agent/agent-gate.ts'
import type { AgentAnswer, AgentAsk } from '../src/edge/agent/answer-agent.ts'
import { endAfterMs } from '../src/commons/room/mirror-presence.ts'
import { MirrorService, edgeAgent, unknownToken } from '../src/edge/answer-mirror.ts'
import { bookErased } from '../src/edge/book-end.ts'
import type {
  EndRequest,
  MirrorBook,
  AgentPresented,
  CalledWith,
  MirrorDoor,
  Presented,
} from '../src/edge/mirror-door.ts'
import { createEngine, type Engine } from '../src/engine/engine.ts'
import { SyncMirror } from '../src/sync/mirror/mirror.ts'
import { readTombstone } from '../src/store/mirror/tombstone.ts'
import { isBook } from '../src/store/schema/version.ts'
import type { TicketRequest } from '../src/sync/wire/live-wire.ts'
import { openDoDatabase } from './do-database.ts'
import { DueTable, embedJob, EmbedWatch, taskJob, TaskWatch } from './object-jobs.ts'
import { edgeArchives, edgeRounds } from '../src/edge/archive/edge-archive.ts'
import { edgeLlm, edgeVectors } from '../src/edge/edge-models.ts'
import type { EdgeEnv } from '../src/edge/edge-env.ts'
import { forgetEndedKeys } from '../src/edge/forget-ended-keys.ts'
import { type LiveBook, LiveLines, offeredLine } from '../src/edge/live-lines.ts'
import { createObjectNotes, createObjectEnd } from './object-storage.ts'
import { ObjectLines, openState } from './object-lines.ts'
import type { Outcome } from '../src/edge/outcome.ts'
import { readQuotas } from '../src/edge/guest-quota.ts'
import { CallerRates, readRate } from '../src/edge/rate-limit.ts'
import { workerKeyring, workerPorts } from './worker-ports.ts'
import { openBookZone } from '../src/web/web-zone.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const sweepEveryMs = 300_000
/** Delay before a failed job runs again. */
const againMs = 300_000

interface Opened {
  readonly engine: Engine
  /** Undefined if newer code wrote the book. The book is then read-only. */
  readonly mirror: SyncMirror | undefined
  readonly rate: CallerRates
  readonly agents: DatabaseAgentGate
  readonly due: DueTable
  readonly tasks: TaskWatch
  readonly vectors: EmbedWatch | undefined
  readonly live: LiveLines
  readonly lines: ObjectLines
  readonly book: LiveBook
}

export class Mirror extends DurableObject<EdgeEnv> implements MirrorDoor {
  #opened: Opened | undefined
  readonly #end = createObjectEnd(this.ctx, {
    book: this.ctx.id.name ?? '',
    clock: workerPorts.clock,
    close: () => this.#close(),
  })
  readonly #door = new MirrorService((mayMake, work) => this.#within(mayMake, work), this.#end)

  /** Opens the book at the first call, so that the caller gets an error of opening. */
  #open(): Opened {
    if (this.#opened) return this.#opened
    const db = openDoDatabase(this.ctx.storage)
    const before = readTombstone(db)
    if (before && !before.isReplaced) throw bookErased(before.at)
    const embedder = edgeVectors(this.env)
    const engine = createEngine({
      db,
      ports: workerPorts,
      keys: workerKeyring,
      name: this.ctx.id.name ?? '',
      scope: { agent: edgeAgent },
      durability: 'durable-object',
      role: 'mirror',
      zone: openBookZone('UTC'),
      wakesTasks: true,
      llm: edgeLlm(this.env),
      quotas: readQuotas(this.env),
      archives: edgeArchives(this.env, createObjectNotes(this.ctx.storage)),
      recurring: edgeRounds(this.env, workerPorts.log),
      embedder,
    })
    const { newer } = engine.store
    const mirror = newer
      ? undefined
      : new SyncMirror({ store: engine.store, ...workerPorts, erasedAt: before?.at })
    const rate = new CallerRates(db, workerPorts.clock, readRate(this.env.DAYBOOK_RATE))
    const agents = new DatabaseAgentGate(db, workerPorts.clock, readAgentRate(this.env.DAYBOOK_A2P_RATE))
    const due = new DueTable(db)
    due.ensure('tidy', Date.now() + dayMs)
    const tasks = new TaskWatch(engine, due)
    // Retries and postponed tasks change the next due time.
    engine.on(({ name }) => name === 'task' && void this.#planJobs().catch(() => undefined))
    const vectors = embedder && !newer ? new EmbedWatch(engine, due) : undefined
    const lines = new ObjectLines(this.ctx, workerPorts)
    const book: LiveBook = {
      store: engine.store,
      meeting: engine.meeting,
      recheck: (standing) => engine.recheck(standing),
    }
    const live = new LiveLines(
      { lines: (device) => lines.open(device), within: (work) => work(book), ...workerPorts },
      engine.store.settings.getNumber('head'),
    )
    engine.on(({ name }) => {
      if (name === 'change') live.changed(book)
      if (name !== 'room') return
      live.roomChanged(book)
      due.ensure('room', Date.now() + endAfterMs)
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

  async #planJobs(): Promise<void> {
    // The book was erased meanwhile, or could not be opened.
    if (!this.#opened) return
    const { tasks, due, vectors } = this.#opened
    const plans = [tasks.plan(), vectors?.plan()]
    if (plans.includes(true)) await this.#setAlarm(due)
  }

  async #setAlarm(due: DueTable): Promise<void> {
    const next = due.next()
    const set = await this.ctx.storage.getAlarm()
    if (next !== undefined && next !== set) await this.ctx.storage.setAlarm(next)
  }

  /** Runs the due jobs. A failed job doesn't stop the others. */
  override async alarm(): Promise<void> {
    // The alarm was set before the book was erased.
    if (await this.#end.tombstone()) return
    const { due } = this.#open()
    for (const job of due.take(Date.now())) {
      try {
        await this.#run(job)
      } catch (error) {
        const { code, message } = toDaybookError(error)
        workerPorts.log.warn('A job of a mirror failed', { job, code, message })
        due.plan(job, Date.now() + againMs)
      }
    }
    await this.#setAlarm(due)
  }

  async #run(job: string): Promise<void> {
    const { engine, mirror, rate, agents, due, tasks, vectors, live, book } = this.#open()
    if (job === embedJob) await vectors?.run()
    if (job === taskJob) {
      await tasks.run()
      tasks.plan()
    }
    if (job === 'tidy') {
      if (mirror) {
        await mirror.tidy()
        await forgetEndedKeys(engine, Date.now())
      }
      due.plan('tidy', Date.now() + dayMs)
    }
    if (job === 'rates' && rate.tidy() > 0) due.plan('rates', Date.now() + hourMs)
    if (job === 'agents' && agents.sweep() > 0) due.plan('agents', Date.now() + sweepEveryMs)
    if (job === 'room') {
      const next = await live.sweepRoom(book)
      if (next !== undefined) due.plan('room', Math.max(next, Date.now() + 1000))
    }
    if (job === 'lines' && live.sweep(book) > 0) {
      due.plan('lines', Date.now() + sweepEveryMs)
      this.#planEnd()
    }
  }

  /** Plans a sweep at the expiry of the next connection. */
  #planEnd(): void {
    const { live, due } = this.#open()
    const endMs = live.nextEndMs()
    if (endMs !== undefined) due.sooner('lines', Math.max(endMs, Date.now() + 1000))
  }

  /** Runs one request. Plans its follow-up jobs before the answer. */
  async #within<Result>(mayMake: boolean, work: (book: MirrorBook) => Promise<Result>): Promise<Result> {
    if (!mayMake && !this.#opened && !isBook(openDoDatabase(this.ctx.storage))) throw unknownToken()
    const opened = this.#open()
    try {
      return await work(this.#toMirrorBook(opened))
    } finally {
      await this.#planJobs()
    }
  }

  #toMirrorBook({ engine, mirror, rate, agents, due, live, lines, book }: Opened): MirrorBook {
    return {
      engine,
      mirror,
      rate: {
        spend(caller) {
          rate.spend(caller)
          due.ensure('rates', Date.now() + hourMs)
        },
      },
      agents: {
        spend: async (caller, operation) => {
          const state = agents.spend(caller, operation)
          due.ensure('agents', Date.now() + sweepEveryMs)
          await this.#setAlarm(due)
          return state
        },
        takeNonce: (agent, nonce, untilMs) => agents.takeNonce(agent, nonce, untilMs),
      },
      synced(device, cursor) {
        if (cursor !== undefined) live.synced(device, cursor, book)
        live.changed(book)
      },
      lines: {
        admit: (standing) => live.admit(standing, book),
        give: async (listener) => {
          const ticket = lines.give(listener)
          due.ensure('lines', Date.now() + sweepEveryMs)
          await this.#setAlarm(due)
          return ticket
        },
      },
    }
  }

  // RPC requires these methods on the class itself.
  admit(capabilityId: string, presented: Presented): Promise<Outcome<void>> {
    return this.#door.admit(capabilityId, presented)
  }

  exchange(request: string, presented?: Presented): Promise<Outcome<string>> {
    return this.#door.exchange(request, presented)
  }

  ticket(request: TicketRequest, presented: Presented): Promise<Outcome<unknown>> {
    return this.#door.ticket(request, presented)
  }

  erase(request: EndRequest, presented: Presented): Promise<Outcome<unknown>> {
    return this.#door.erase(request, presented)
  }

  begin(request: EndRequest, presented: Presented): Promise<Outcome<unknown>> {
    return this.#door.begin(request, presented)
  }

  agentCall(ask: AgentAsk, presented: AgentPresented): Promise<AgentAnswer> {
    return this.#door.agentCall(ask, presented)
  }

  call(id: string, input: unknown, options: Presented & CalledWith = {}): Promise<Outcome<unknown>> {
    return this.#door.call(id, input, options)
  }

  /** Upgrades to a WebSocket. A missing book has no tickets, and is not created. */
  override async fetch(request: Request): Promise<Response> {
    try {
      if (!this.#opened && !isBook(openDoDatabase(this.ctx.storage)))
        throw new DaybookError('unauthorized', 'The ticket is unknown. Get another one.')
      const { live, lines, book } = this.#open()
      const { ticket, version } = offeredLine(request.headers)
      const listener = lines.take(ticket)
      live.admit(listener.standing, book)
      const { line, response } = lines.accept(live.begin(listener, version))
      live.greet(line, book)
      this.#planEnd()
      await this.#setAlarm(this.#open().due)
      return response
    } catch (error) {
      return Response.json(toDaybookError(error).toJSON(), { status: 400 })
    }
  }

  override webSocketMessage(socket: WebSocket, message: ArrayBuffer | string): void {
    // The socket is closing.
    if (socket.readyState !== openState) return
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
