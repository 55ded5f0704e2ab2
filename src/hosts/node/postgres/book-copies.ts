// The copies of books that this process works on, their truth in PostgreSQL: each is made when its book is first asked for and
// thrown away when it was idle for long, too many are open, or what it has may not be the truth.
// Invariant: nothing is lost with a copy. Copies lie in files without a name, which end with the process.
import { DaybookError } from '../../../core/errors.ts'
import { toHex } from '../../../core/ids.ts'
import type { Llm, Ports } from '../../../core/ports.ts'
import { edgeAgent, unknownToken } from '../../../edge/answer-mirror.ts'
import { type AgentRate, usualAgentRate } from '../../../edge/agent/agent-gate.ts'
import type { Rate } from '../../../edge/rate-limit.ts'
import type { GuestQuotas } from '../../../store/guest-usage.ts'
import { createEngine, type Engine } from '../../../engine/engine.ts'
import { migrate } from '../../../store/schema/version.ts'
import { SyncMirror } from '../../../sync/mirror/mirror.ts'
import { openNodeDatabase } from '../book/node-database.ts'
import { verifyingKeyring } from '../key/key-file.ts'
import type { Postgres } from './connect-postgres.ts'
import { findBook, nameCopy } from './find-book.ts'
import {
  createPostgresTruth,
  isOutdated,
  type PostgresTruth,
  type PostgresTruthOptions,
} from './postgres-truth.ts'
import { createSharedAgentGate, type SharedAgentGate } from './shared-agent-gate.ts'
import { createSharedRate, type SharedRate } from './shared-rate.ts'
import { createSharedTickets, type SharedTickets } from './shared-ticket.ts'
import { openBookZone } from '../../../web/web-zone.ts'

export interface BookCopy {
  readonly engine: Engine
  readonly mirror: SyncMirror
  readonly truth: PostgresTruth
  readonly rate: SharedRate
  readonly agents: SharedAgentGate
  readonly tickets: SharedTickets
}

export interface BookCopiesOptions {
  readonly postgres: Postgres
  /** The user that connects is not bound by row-level security. */
  readonly bypasses: boolean
  readonly ports: Ports
  readonly rate: Rate
  readonly quotas?: GuestQuotas | undefined
  readonly agentRate?: AgentRate | undefined
  readonly llm?: Llm | undefined
  /** Copies that are open at once, 64 by default, and how long one may be idle, 10 minutes. */
  readonly openBooks?: number | undefined
  readonly idleMs?: number | undefined
  readonly onStep?: PostgresTruthOptions['onStep']
  /** A copy was made. */
  onOpened(book: string): void
  /** A copy has committed something that others must know of. */
  onCommitted(book: string): void
  /** Whether somebody waits for news of this book: it is not idle then. */
  isWatched(book: string): boolean
}

interface Entry {
  readonly copy: Promise<BookCopy>
  /** Set once it is there. */
  truth?: PostgresTruth
  users: number
  usedAt: number
}

/** Between two looks whether the copies are free. */
const freeLookMs = 10

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

  /** The books that have a copy here. */
  get books(): string[] {
    return [...this.#entries.keys()]
  }

  /**
   * Gives `work` the copy of a book. With `mayMake` a book that is not there yet is made; without, it is `unauthorized`. Throws
   * `book-closed` after `close`. A copy that turns out to be outdated wrote nothing that counts: `work` gets another one, once.
   */
  async within<Result>(
    book: string,
    mayMake: boolean,
    work: (copy: BookCopy) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.#within(book, mayMake, work)
    } catch (error) {
      if (!isOutdated(error)) throw error
    }
    return this.#within(book, mayMake, work)
  }

  async #within<Result>(
    book: string,
    mayMake: boolean,
    work: (copy: BookCopy) => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new DaybookError('book-closed')
    const entry = this.#enter(book, mayMake)
    entry.users += 1
    try {
      return await work(await entry.copy)
    } finally {
      // Still in use while this is asked, so that nobody else closes it.
      const isSound = await isTrue(entry)
      entry.users -= 1
      entry.usedAt = this.#options.ports.clock.now()
      if (!isSound || this.#entries.get(book) !== entry) void this.#drop(book, entry)
      this.#dropIdle()
    }
  }

  /** Waits for what is under way, and lets go of all copies. */
  async close(): Promise<void> {
    this.#isClosed = true
    while ([...this.#entries.values()].some(({ users }) => users > 0))
      await new Promise((resolve) => setTimeout(resolve, freeLookMs))
    await Promise.all([...this.#entries].map(([book, entry]) => this.#drop(book, entry)))
  }

  #enter(book: string, mayMake: boolean): Entry {
    const known = this.#entries.get(book)
    // What it writes by itself, its log of access, may have found the book gone while nobody was here.
    if (known && known.truth?.isBroken !== true) return known
    if (known) void this.#drop(book, known)
    const entry: Entry = { copy: this.#open(book, mayMake), users: 0, usedAt: 0 }
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

  /** What its log of access has left to be written is written first, which takes a way to the truth. */
  async #drop(book: string, entry: Entry): Promise<void> {
    if (this.#entries.get(book) === entry) this.#entries.delete(book)
    if (entry.users > 0) return
    const copy = await entry.copy.catch(() => undefined)
    await copy?.engine.audit.flush().catch(() => undefined)
    copy?.engine.close()
  }

  /** Drops copies that nobody uses, those longest idle first, as long as they are too many or idle for too long. */
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

  async #open(book: string, mayMake: boolean): Promise<BookCopy> {
    const {
      postgres,
      bypasses,
      ports,
      rate,
      agentRate = usualAgentRate,
      llm,
      quotas,
      onStep,
      onCommitted,
    } = this.#options
    const place = { postgres, book, bypasses }
    const name = (letter: string) => `${letter}_${toHex(ports.random.bytes(16))}`
    const names = await findBook(place, mayMake ? { epoch: name('e'), device: name('d') } : undefined)
    if (!names) throw unknownToken()
    const db = openNodeDatabase({ path: '' })
    try {
      migrate(db, new Date(ports.clock.now()).toISOString())
      nameCopy(db, names)
      const truth = createPostgresTruth({ ...place, onStep, onCommitted: () => onCommitted(book) })
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
      truth.follows(engine.store)
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

/** Whether the copy is there, and is the truth as of some commit. */
const isTrue = ({ copy }: Entry): Promise<boolean> =>
  copy.then(
    ({ truth }) => !truth.isBroken,
    () => false,
  )
