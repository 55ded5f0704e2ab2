// The mirror of one book as a Durable Object: what it has open, and the jobs of its alarm. Wiring only: the engine, the mirror
// and what it answers are the ones of every host.
import { DurableObject } from 'cloudflare:workers'
import { DaybookError, toDaybookError } from '../src/core/errors.ts'
import { createAgentGate, type OwnAgentGate } from '../src/edge/agent/agent-gate.ts'
import { readAgentRate } from '../src/edge/agent/agent-rate.ts'
import type { AgentAnswer, AgentAsk } from '../src/edge/agent/answer-agent.ts'
import { endAfterMs } from '../src/commons/room/mirror-presence.ts'
import { answerMirror, edgeAgent, unknownToken } from '../src/edge/answer-mirror.ts'
import { bookErased } from '../src/edge/book-end.ts'
import type { EndAsked } from '../src/edge/end-asked.ts'
import type { MirrorBook } from '../src/edge/mirror-book.ts'
import { createEngine, type Engine } from '../src/engine/engine.ts'
import { createMirror, type Mirror as SyncMirror } from '../src/sync/mirror/mirror.ts'
import { readTombstone } from '../src/store/mirror/tombstone.ts'
import { isBook } from '../src/store/schema/version.ts'
import type { TicketRequest } from '../src/sync/wire/live-wire.ts'
import { openDoDatabase } from './do-database.ts'
import { createDueTable, type DueTable } from './due-table.ts'
import { edgeArchives, edgeRounds } from '../src/edge/archive/edge-archive.ts'
import { edgeLlm } from '../src/edge/edge-llm.ts'
import { edgeVectors } from '../src/edge/edge-embedder.ts'
import { createEmbedWatch, embedJob, type EmbedWatch } from './embed-watch.ts'
import type { EdgeEnv } from '../src/edge/edge-env.ts'
import type { AgentPresented, CalledWith, MirrorDoor, Presented } from '../src/edge/mirror-door.ts'
import { forgetEndedKeys } from '../src/edge/forget-ended-keys.ts'
import { createLiveLines, type LiveBook, type LiveLines, offeredLine } from '../src/edge/live-lines.ts'
import { createObjectNotes } from './object-notes.ts'
import { createObjectEnd } from './object-end.ts'
import { createObjectLines, type ObjectLines } from './object-lines.ts'
import type { Outcome } from '../src/edge/outcome.ts'
import { readQuotas } from '../src/edge/guest-quota.ts'
import { createRateLimit, type RateLimit, readRate } from '../src/edge/rate-limit.ts'
import { createTaskWatch, taskJob, type TaskWatch } from './task-watch.ts'
import { workerKeyring } from './worker-keyring.ts'
import { workerPorts } from './worker-ports.ts'
import { openBookZone } from '../src/web/web-zone.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const sweepEveryMs = 300_000
/** A job that failed is tried again. */
const againMs = 300_000

interface Opened {
  readonly engine: Engine
  /** Absent while newer code has written the book: it is read only. */
  readonly mirror: SyncMirror | undefined
  readonly rate: RateLimit
  readonly agents: OwnAgentGate
  readonly due: DueTable
  readonly tasks: TaskWatch
  readonly vectors: EmbedWatch | undefined
  readonly live: LiveLines
  readonly lines: ObjectLines
  /** The book, for its lines. */
  readonly book: LiveBook
}

export class Mirror extends DurableObject<EdgeEnv> implements MirrorDoor {
  #opened: Opened | undefined
  readonly #end = createObjectEnd(this.ctx, {
    book: this.ctx.id.name ?? '',
    clock: workerPorts.clock,
    letGo: () => this.#letGo(),
  })
  readonly #door = answerMirror((mayMake, work) => this.#within(mayMake, work), this.#end)

  /** Opened by the first call, so that what goes wrong is that call's answer. */
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
      : createMirror({ store: engine.store, ...workerPorts, erasedAt: before?.at })
    const rate = createRateLimit(db, workerPorts.clock, readRate(this.env.DAYBOOK_RATE))
    const agents = createAgentGate(db, workerPorts.clock, readAgentRate(this.env.DAYBOOK_A2P_RATE))
    const due = createDueTable(db)
    due.ensure('tidy', Date.now() + dayMs)
    const tasks = createTaskWatch(engine, due)
    // Tries that fail are due at other times, and so is what a task puts off.
    engine.on(({ name }) => name === 'task' && void this.#planJobs().catch(() => undefined))
    const vectors = embedder && !newer ? createEmbedWatch(engine, due) : undefined
    const lines = createObjectLines(this.ctx, workerPorts)
    const book: LiveBook = {
      store: engine.store,
      meeting: engine.meeting,
      recheck: (standing) => engine.recheck(standing),
    }
    const live = createLiveLines(
      { lines: lines.open, within: (work) => work(book), ...workerPorts },
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

  /** The book is erased: nothing of it is worked on any more. */
  #letGo(): void {
    this.#opened?.engine.close()
    this.#opened = undefined
  }

  async #planJobs(): Promise<void> {
    // It was erased meanwhile, or could not be opened.
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

  /** Does what is due. One job that fails keeps no other from being done. */
  override async alarm(): Promise<void> {
    // It was set for a book that was erased since.
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

  /** Looks at the lines again when the first of them ends by its time. */
  #planEnd(): void {
    const { live, due } = this.#open()
    const endMs = live.nextEndMs()
    if (endMs !== undefined) due.sooner('lines', Math.max(endMs, Date.now() + 1000))
  }

  /** The book for one request. What the request left to be done is planned before it is answered. */
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
        takeNonce: agents.takeNonce,
      },
      synced(device, cursor) {
        if (cursor !== undefined) live.came(device, cursor, book)
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

  // What is called over RPC must stand on the class itself.
  admit(capabilityId: string, presented: Presented): Promise<Outcome<void>> {
    return this.#door.admit(capabilityId, presented)
  }

  exchange(request: string, presented?: Presented): Promise<Outcome<string>> {
    return this.#door.exchange(request, presented)
  }

  ticket(asked: TicketRequest, presented: Presented): Promise<Outcome<unknown>> {
    return this.#door.ticket(asked, presented)
  }

  erase(asked: EndAsked, presented: Presented): Promise<Outcome<unknown>> {
    return this.#door.erase(asked, presented)
  }

  begin(asked: EndAsked, presented: Presented): Promise<Outcome<unknown>> {
    return this.#door.begin(asked, presented)
  }

  agentCall(ask: AgentAsk, presented: AgentPresented): Promise<AgentAnswer> {
    return this.#door.agentCall(ask, presented)
  }

  call(id: string, input: unknown, options: Presented & CalledWith = {}): Promise<Outcome<unknown>> {
    return this.#door.call(id, input, options)
  }

  /** The upgrade to a line. A book that nobody has opened has given no ticket, and is not made. */
  override async fetch(request: Request): Promise<Response> {
    try {
      if (!this.#opened && !isBook(openDoDatabase(this.ctx.storage)))
        throw new DaybookError('unauthorized', 'The ticket is not known.')
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
    // Its goodbye is under way.
    if (socket.readyState !== openState) return
    const { live, lines } = this.#open()
    live.said(lines.lineOf(socket), typeof message === 'string' ? message : undefined)
  }

  /** Answers the goodbye of the other side, which waits for it (RFC 6455, section 7.1.2). */
  override webSocketClose(socket: WebSocket, code: number): void {
    // What stands for "there was no code" may not be sent.
    socket.close(mayBeSaid(code) ? code : undefined)
  }
}

/** `readyState` of a socket that can be written to. */
const openState = 1
const mayBeSaid = (code: number) => code === 1000 || (code >= 3000 && code < 5000)
