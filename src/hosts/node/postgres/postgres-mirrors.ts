// The mirrors of this process, stored in PostgreSQL: connects book copies, lines to devices, news of other
// processes, and daily maintenance. edge/mirror-service.ts answers the requests. Each copy is a SQLite database that
// follows PostgreSQL (`truth`).
import type { WebSocket } from 'ws'
import type { Llm, Ports } from '../../../core/ports.ts'
import { MirrorService, type WithBook } from '../../../edge/mirror-service.ts'
import { BodyMemory, createBodyGate } from '../../../edge/body-gate.ts'
import type { MirrorBook, BodyGate, MirrorDoor } from '../../../edge/mirror-door.ts'
import { forgetEndedKeys } from '../../../edge/forget-ended-keys.ts'
import type { Engine } from '../../../engine/engine.ts'
import { type LiveBook, noLinesError, type UpgradeOffer } from '../../../edge/live-lines.ts'
import { parseRelay } from '../../../edge/line.ts'
import type { AgentRate } from '../../../edge/agent/agent-gate.ts'
import type { Rate } from '../../../edge/rate-limit.ts'
import type { GuestQuotas } from '../../../store/guest-usage.ts'
import { BookCopies, type BookCopy } from './book-copies.ts'
import { BookLines } from './book-lines.ts'
import type { Postgres } from './connect-postgres.ts'
import { type BookNews, PostgresNews, type PostgresNewsOptions } from './news-postgres.ts'
import { withPostgresFaults } from './postgres-fault.ts'
import { enterSql, type PostgresTruthOptions } from './postgres-truth.ts'
import { createPostgresEnd } from './find-book.ts'
import { createSharedTickets } from './shared-admission.ts'
import { ThreadTurns } from './thread-turns.ts'

export interface PostgresMirrorsOptions {
  readonly postgres: Postgres
  readonly ports: Ports
  /** Rate of each caller for one book, over all processes. */
  readonly rate: Rate
  /** Storage limits of guests. Default: see store/guest-usage.ts. */
  readonly quotas?: GuestQuotas | undefined
  /** Rate of each caller over the a2p protocol; default: the protocol's own numbers. */
  readonly agentRate?: AgentRate | undefined
  /** Connection for news of other processes: see news-postgres.ts. Without it there are no lines. */
  readonly news?: Pick<PostgresNewsOptions, 'connection' | 'lookEveryMs'> | undefined
  /** A language model for summaries and profiles. */
  readonly llm?: Llm | undefined
  /** Copies open at once (default 64), and how long one may be idle (default 10 minutes). */
  readonly openBooks?: number
  readonly idleMs?: number
  /** For tests. */
  readonly onStep?: PostgresTruthOptions['onStep']
}

export interface PostgresMirrors {
  /** Answers the requests of one book. */
  getByName(book: string): MirrorDoor
  /** Checks the callers of one book before the bodies of their requests are read. */
  bodyGate(book: string): BodyGate
  /**
   * Opens a line for a ticket; `upgrade` returns the socket, paused. Rejects before `upgrade` for a wrong
   * ticket.
   */
  openLine(
    book: string,
    offered: Omit<UpgradeOffer, 'protocol'>,
    upgrade: () => Promise<WebSocket>,
  ): Promise<void>
  /** Runs the daily maintenance of this book, unless some process ran it today; true if it ran. */
  tidy(book: string): Promise<boolean>
  /** Whether notifications of other processes arrive; `silent` until there is a line. */
  newsState(): PostgresNews['state']
  /** Ends all lines and opens no new ones. */
  closeLines(): void
  /** Waits for running work, then drops all copies. */
  close(): Promise<void>
}

/**
 * Interval of checks for books whose daily maintenance is due; of sweeps of the lines; and of the meeting
 * rooms.
 */
const tidyEveryMs = 3_600_000
const sweepEveryMs = 300_000
const roomEveryMs = 60_000
/** Internal error (RFC 6455, section 7.4.1). */
const faultCode = 1011
/** For this time, a repeated `requestId` returns the first answer. */
const requestMemoryMs = 7 * 86_400_000

export async function openPostgresMirrors(options: PostgresMirrorsOptions): Promise<PostgresMirrors> {
  const bypasses = await bypassesRows(options.postgres)
  return new Mirrors(options, bypasses)
}

/** Whether the database user bypasses row-level security. Then each transaction takes a role that does not. */
async function bypassesRows(postgres: Postgres): Promise<boolean> {
  const [role] = await withPostgresFaults(() =>
    postgres.rows<{ bypasses: boolean }>(
      'SELECT rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user',
    ),
  )
  return role?.bypasses ?? true
}

/** The open book, as lines need it. */
const toLiveBook = (engine: Engine): LiveBook => ({
  store: engine.store,
  meetingRoom: engine.meeting,
  recheck: (standing) => engine.recheck(standing),
})

class Mirrors implements PostgresMirrors {
  readonly #options: PostgresMirrorsOptions
  readonly #bypasses: boolean
  readonly #copies: BookCopies
  readonly #lines: BookLines | undefined
  readonly #news: PostgresNews | undefined
  readonly #turns = new ThreadTurns()
  readonly #bodies = new BodyMemory()
  readonly #timers: readonly NodeJS.Timeout[]
  /** True once a notification of another program was reported. */
  #hasForeign = false

  constructor(options: PostgresMirrorsOptions, bypasses: boolean) {
    this.#options = options
    this.#bypasses = bypasses
    this.#copies = new BookCopies({
      ...options,
      bypasses,
      // Also now: a copy that lives for minutes may not exist when the timer fires.
      onOpened: (book) => void this.#tidyOne(book),
      onCommitted: (book) => this.#announce(book, []),
      isWatched: (book) => this.#lines?.has(book) ?? false,
    })
    this.#lines = options.news && this.#openLines()
    this.#news = options.news && this.#lines && this.#openNews(options.news, this.#lines)
    this.#timers = [
      setInterval(() => void this.#tidyAll(), tidyEveryMs),
      setInterval(() => this.#lines?.sweep(), sweepEveryMs),
      setInterval(() => void this.sweepRooms(), roomEveryMs),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  getByName(book: string): MirrorDoor {
    const { postgres, ports } = this.#options
    const end = createPostgresEnd({ postgres, book, bypasses: this.#bypasses })
    return new MirrorService(this.#within(book), {
      book,
      clock: ports.clock,
      tombstone: end.tombstone,
      begin: end.begin,
      erase: async (stone) => {
        await end.erase(stone)
        // Every line and copy learns that the book is gone, here and in other processes.
        this.#announce(book, [])
      },
    })
  }

  bodyGate(book: string): BodyGate {
    const { postgres } = this.#options
    return createBodyGate({
      withBook: this.#within(book),
      eraser: { book, tombstone: createPostgresEnd({ postgres, book, bypasses: this.#bypasses }).tombstone },
      memory: this.#bodies,
      waitForTurn: (name, caller) => this.#turns.take(name, caller),
    })
  }

  async openLine(
    book: string,
    { ticket, version }: Omit<UpgradeOffer, 'protocol'>,
    upgrade: () => Promise<WebSocket>,
  ): Promise<void> {
    const lines = this.#lines
    if (!lines) throw noLinesError()
    const { postgres, ports } = this.#options
    const tickets = createSharedTickets({ postgres, book, bypasses: this.#bypasses }, ports.random)
    const listener = await tickets.take(ticket)
    await lines.admit(book, listener.standing)
    const socket = await upgrade()
    await lines.add(book, listener, socket, version).catch((error: unknown) => {
      socket.close(faultCode)
      throw error
    })
  }

  /** Once a day for each book in use, by the process that comes first. */
  async tidy(book: string): Promise<boolean> {
    if (!(await this.#takeTidying(book))) return false
    await this.#copies.within(book, false, async ({ engine, mirror, rate, agents }) => {
      const { store } = engine
      const now = this.#options.ports.clock.now()
      await mirror.collectTombstones()
      await forgetEndedKeys(engine, now)
      if (!this.#lines?.has(book)) await engine.meeting?.sweep(() => undefined)
      const before = new Date(now - requestMemoryMs).toISOString()
      await store.writes.write(() => store.requests.prune(before))
      await rate.tidy()
      await agents.tidy()
    })
    return true
  }

  /** Renews the participants of meeting rooms that have a line here. A participant that no process renews is removed. */
  async sweepRooms(): Promise<void> {
    // Without a line, reads skip absent participants, and the daily maintenance removes them.
    for (const book of this.#copies.books.filter((one) => this.#lines?.has(one))) {
      await this.#copies
        .within(book, false, async ({ engine, truth }) => {
          await truth.follow()
          await this.#lines?.sweepRoom(book, toLiveBook(engine))
        })
        .catch(() => undefined)
    }
  }

  newsState(): PostgresNews['state'] {
    return this.#news?.state ?? 'silent'
  }

  closeLines(): void {
    this.#lines?.close()
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    const closed = this.#copies.close()
    this.#lines?.close()
    await this.#news?.close()
    await closed
  }

  #within(book: string): WithBook {
    return (createIfMissing, work) =>
      this.#copies.within(book, createIfMissing, (copy) => work(this.#toMirrorBook(book, copy)))
  }

  #toMirrorBook(book: string, { engine, mirror, truth, rate, agents, tickets }: BookCopy): MirrorBook {
    const lines = this.#lines
    return {
      engine,
      mirror,
      rate,
      agents,
      catchUp: () => truth.follow(),
      waitForTurn: (caller) => this.#turns.take(book, caller),
      noteSynced: (device, cursor) => {
        // Without a cursor the device reads on, and comes again.
        if (cursor !== undefined) this.#announce(book, [[device, cursor]])
      },
      ...(lines && {
        lines: {
          admit: (standing) => lines.admit(book, standing),
          issueTicket: (listener) => tickets.give(listener),
        },
      }),
    }
  }

  #openLines(): BookLines {
    const { ports } = this.#options
    return new BookLines({
      clock: ports.clock,
      scheduler: ports.scheduler,
      onFault: (error) => ports.log.warn('Lines of a book were not notified.', { error: String(error) }),
      onLine: () => this.#news?.listen(),
      onTalk: (book, relay) => this.#news?.talk(book, JSON.stringify(relay)),
      within: (book, work) =>
        this.#copies.within(book, false, async ({ engine, truth }) => {
          await truth.follow()
          work(toLiveBook(engine))
        }),
    })
  }

  #openNews(options: NonNullable<PostgresMirrorsOptions['news']>, lines: BookLines): PostgresNews {
    const { postgres, ports } = this.#options
    return new PostgresNews({
      ...options,
      postgres,
      random: ports.random,
      log: ports.log,
      onNews: (news) => lines.hear(news),
      onTalk: (book, text) => {
        const relay = parseRelay(text)
        if (relay) lines.relay(book, relay)
        else this.#reportForeign()
      },
      onLook: () => lines.look(),
    })
  }

  /** Reports once that something else notifies this channel. Every user of the database may do so. */
  #reportForeign(): void {
    if (this.#hasForeign) return
    this.#hasForeign = true
    this.#options.ports.log.warn('A notification in PostgreSQL is not from `daybook serve`: it is ignored.')
  }

  /** Notifies the lines of this process and other processes. */
  #announce(book: string, synced: BookNews['synced']): void {
    this.#lines?.hear({ book, synced })
    this.#news?.tell({ book, synced })
  }

  /** True if this book wasn't maintained for a day; then no other process maintains it today. */
  async #takeTidying(book: string): Promise<boolean> {
    const due = await withPostgresFaults(() =>
      this.#options.postgres.begin(enterSql(book, this.#bypasses), (sql) =>
        sql.rows(
          `UPDATE daybook.books SET tidied_at = now() WHERE book = $1
             AND coalesce(tidied_at, created_at) < now() - interval '1 day' RETURNING book`,
          [book],
        ),
      ),
    )
    return due.length > 0
  }

  async #tidyOne(book: string): Promise<void> {
    try {
      await this.tidy(book)
    } catch (error) {
      if (!this.#copies.isClosed)
        this.#options.ports.log.warn('A book was not tidied.', { error: String(error) })
    }
  }

  async #tidyAll(): Promise<void> {
    for (const book of this.#copies.books) await this.#tidyOne(book)
  }
}
