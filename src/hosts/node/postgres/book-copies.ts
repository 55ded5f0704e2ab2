// Copies of books in SQLite; the truth, which counts, is in PostgreSQL. A copy is made at its book's first request,
// and dropped when it is idle for long, too many are open, or it may differ from the truth.
// Invariant: no data is lost with a copy. Copies are files without a name, which end with the process.
import { DaybookError } from '../../../core/errors.ts'
import { toHex } from '../../../core/ids.ts'
import type { Llm, Ports } from '../../../core/ports.ts'
import { edgeAgent } from '../../../edge/mirror-service.ts'
import { unknownBearerError } from '../../../trust/admission.ts'
import { type AgentRate, defaultAgentRate } from '../../../edge/agent/agent-gate.ts'
import type { Rate } from '../../../edge/rate-limit.ts'
import type { GuestQuotas } from '../../../store/guest-usage.ts'
import { createEngine, type Engine } from '../../../engine/engine.ts'
import { migrate } from '../../../store/schema/version.ts'
import { SyncMirror } from '../../../sync/mirror/mirror.ts'
import { openNodeDatabase } from '../book/node-database.ts'
import { verifyingKeyring } from '../key/key-file.ts'
import type { Postgres } from './connect-postgres.ts'
import { findBook, nameCopy } from './find-book.ts'
import { isOutdated, PostgresTruth, type PostgresTruthOptions } from './postgres-truth.ts'
import {
  createSharedAgentGate,
  type SharedAgentGate,
  createSharedRate,
  type SharedRate,
  createSharedTickets,
  type SharedTickets,
} from './shared-admission.ts'
import { openBookZone } from '../../../web/web-zone.ts'

export interface BookCopy {
  readonly engine: Engine
  readonly mirror: SyncMirror
  readonly truth: PostgresTruth
  // All processes share these three: see shared-admission.ts.
  readonly rate: SharedRate
  readonly agents: SharedAgentGate
  readonly tickets: SharedTickets
}

/** Options without a comment: see PostgresMirrorsOptions in postgres-mirrors.ts. */
export interface BookCopiesOptions {
  readonly postgres: Postgres
  /** True: the database user bypasses row-level security, so each transaction takes a role that does not. */
  readonly bypasses: boolean
  readonly ports: Ports
  readonly rate: Rate
  readonly quotas?: GuestQuotas | undefined
  readonly agentRate?: AgentRate | undefined
  readonly llm?: Llm | undefined
  /** Copies open at once (default 64), and how long one may be idle (default 10 minutes). */
  readonly openBooks?: number | undefined
  readonly idleMs?: number | undefined
  readonly onStep?: PostgresTruthOptions['onStep']
  /** A copy of this book was made. */
  onOpened(book: string): void
  /** A copy committed a change that other processes must see. */
  onCommitted(book: string): void
  /** Whether somebody waits for news of this book: it isn't idle then. */
  isWatched(book: string): boolean
}

interface Entry {
  readonly copy: Promise<BookCopy>
  /** Set when the copy is open. */
  truth?: PostgresTruth
  /** Number of running uses; a copy in use is not closed. */
  users: number
  /** Time at which the last use ended, in milliseconds since 1970 UTC. */
  usedAt: number
}

/** Interval between checks whether the copies are unused. */
const idleCheckMs = 10

export class BookCopies {
  readonly #options: BookCopiesOptions
  readonly #entries = new Map<string, Entry>()
  #isClosed = false

  constructor(options: BookCopiesOptions) {
    this.#options = options
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Books that have a copy here. */
  get books(): string[] {
    return [...this.#entries.keys()]
  }

  /**
   * Runs `work` on the copy of a book. `createIfMissing`: creates a missing book; false: a missing book throws
   * `unauthorized`. Throws `book-closed` after `close`. If the copy is outdated, it wrote nothing: `work`
   * runs once more on a new copy.
   */
  async within<Result>(
    book: string,
    createIfMissing: boolean,
    work: (copy: BookCopy) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.#within(book, createIfMissing, work)
    } catch (error) {
      if (!isOutdated(error)) throw error
    }
    return this.#within(book, createIfMissing, work)
  }

  async #within<Result>(
    book: string,
    createIfMissing: boolean,
    work: (copy: BookCopy) => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new DaybookError('book-closed')
    const entry = this.#enter(book, createIfMissing)
    entry.users += 1
    try {
      return await work(await entry.copy)
    } finally {
      // The entry stays in use during this check, so that nobody closes it.
      const isOk = await isUsable(entry)
      entry.users -= 1
      entry.usedAt = this.#options.ports.clock.now()
      if (!isOk || this.#entries.get(book) !== entry) void this.#drop(book, entry)
      this.#dropIdle()
    }
  }

  /** Waits for running work, then drops all copies. */
  async close(): Promise<void> {
    this.#isClosed = true
    while ([...this.#entries.values()].some(({ users }) => users > 0))
      await new Promise((resolve) => setTimeout(resolve, idleCheckMs))
    await Promise.all([...this.#entries].map(([book, entry]) => this.#drop(book, entry)))
  }

  #enter(book: string, createIfMissing: boolean): Entry {
    const existing = this.#entries.get(book)
    // Its own writes to the access log may have found the book gone.
    if (existing && existing.truth?.isBroken !== true) return existing
    if (existing) void this.#drop(book, existing)
    const entry: Entry = { copy: this.#open(book, createIfMissing), users: 0, usedAt: 0 }
    this.#entries.set(book, entry)
    entry.copy.then(
      ({ truth }) => {
        entry.truth = truth
        this.#options.onOpened(book)
      },
      () => undefined,
    )
    return entry
  }

  /** Removes a copy, and closes it when no use runs. Flushes its access log first, which needs the database. */
  async #drop(book: string, entry: Entry): Promise<void> {
    if (this.#entries.get(book) === entry) this.#entries.delete(book)
    if (entry.users > 0) return
    const copy = await entry.copy.catch(() => undefined)
    await copy?.engine.audit.flush().catch(() => undefined)
    copy?.engine.close()
  }

  /** Drops unused copies, longest idle first, while they are too many or idle too long. */
  #dropIdle(): void {
    const { ports, isWatched, openBooks = 64, idleMs = 600_000 } = this.#options
    const idle = [...this.#entries]
      .filter(([, { users }]) => users === 0)
      .sort((a, b) => a[1].usedAt - b[1].usedAt)
    for (const [book, entry] of idle) {
      const isOld = !isWatched(book) && ports.clock.now() - entry.usedAt > idleMs
      if (isOld || this.#entries.size > openBooks) void this.#drop(book, entry)
    }
  }

  async #open(book: string, createIfMissing: boolean): Promise<BookCopy> {
    const {
      postgres,
      bypasses,
      ports,
      rate,
      agentRate = defaultAgentRate,
      llm,
      quotas,
      onStep,
      onCommitted,
    } = this.#options
    const place = { postgres, book, bypasses }
    // Epochs begin with `e_`, device names with `d_`.
    const name = (letter: string) => `${letter}_${toHex(ports.random.bytes(16))}`
    const names = await findBook(place, createIfMissing ? { epoch: name('e'), device: name('d') } : undefined)
    if (!names) throw unknownBearerError()
    // An empty path: a temporary file without a name.
    const db = openNodeDatabase({ path: '' })
    try {
      migrate(db, new Date(ports.clock.now()).toISOString())
      nameCopy(db, names)
      const truth = new PostgresTruth({ ...place, onStep, onCommitted: () => onCommitted(book) })
      const engine = createEngine({
        db,
        ports,
        truth,
        name: book,
        scope: { agent: edgeAgent },
        durability: 'postgres',
        role: 'mirror',
        zone: openBookZone('UTC'),
        keys: verifyingKeyring,
        llm,
        quotas,
      })
      // `attach` attaches the empty copy; `follow` reads the book from PostgreSQL into it.
      truth.attach(engine.store)
      await truth.follow()
      return {
        engine,
        truth,
        mirror: new SyncMirror({ store: engine.store, ...ports, erasedAt: names.erasedAt }),
        rate: createSharedRate(place, rate, ports.clock),
        agents: createSharedAgentGate(place, agentRate, ports.clock),
        tickets: createSharedTickets(place, ports.random),
      }
    } catch (error) {
      db.close()
      throw error
    }
  }
}

/** Whether the copy was opened and equals the truth as of some commit. */
const isUsable = ({ copy }: Entry): Promise<boolean> =>
  copy.then(
    ({ truth }) => !truth.isBroken,
    () => false,
  )
