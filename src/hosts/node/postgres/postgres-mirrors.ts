// The mirrors that this process answers for, their truth in PostgreSQL: each with a copy of its book, made when it is
// first asked for and thrown away when it was idle for long, too many are open, or what it has may not be the truth.
// Invariant: nothing is lost with a copy. Copies lie in files without a name, which end with the process.
import type { WebSocket } from 'ws'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { toHex } from '../../../core/ids.ts'
import type { Llm, Ports } from '../../../core/ports.ts'
import { type Admitted, checkBearer, standingOf } from '../../../trust/admission.ts'
import { createEngine, type Engine } from '../../../engine/engine.ts'
import { migrate } from '../../../store/schema/migrate.ts'
import { createMirror, type Mirror } from '../../../sync/mirror/mirror.ts'
import { syncReachOf } from '../../../sync/wire/sync-reach.ts'
import type { MirrorDoor, Presented } from '../../../edge/edge-env.ts'
import { type Outcome, toOutcome } from '../../../edge/outcome.ts'
import { forgetEndedKeys } from '../../../edge/forget-ended-keys.ts'
import { type LiveBook, ticketMs } from '../../../edge/live-lines.ts'
import type { Rate } from '../../../edge/rate-limit.ts'
import { verifyingKeyring } from '../key/key-file.ts'
import { openNodeDatabase } from '../book/node-database.ts'
import { type BookLines, createBookLines } from './book-lines.ts'
import type { Postgres } from './connect-postgres.ts'
import {
  type BookNews,
  createPostgresNews,
  type PostgresNews,
  type PostgresNewsOptions,
} from './news-postgres.ts'
import { guarded } from './postgres-fault.ts'
import {
  createPostgresTruth,
  enterSql,
  findBook,
  nameCopy,
  type PostgresTruth,
  type PostgresTruthOptions,
} from './postgres-truth.ts'
import { createSharedRate, type SharedRate } from './shared-rate.ts'
import { createSharedTickets, type SharedTickets } from './shared-ticket.ts'

export interface PostgresMirrorsOptions {
  readonly postgres: Postgres
  readonly ports: Ports
  /** What each caller may ask of one book, of all processes together. */
  readonly rate: Rate
  /** Where to hear of what other processes write: see news-postgres.ts. Without it there are no lines. */
  readonly news?: Pick<PostgresNewsOptions, 'connection' | 'lookEveryMs'> | undefined
  /** A language model for summaries and profiles. */
  readonly llm?: Llm | undefined
  /** Copies that are open at once, 64 by default, and how long one may be idle, 10 minutes. */
  readonly openBooks?: number
  readonly idleMs?: number
  readonly onStep?: PostgresTruthOptions['onStep']
}

export interface PostgresMirrors {
  getByName(book: string): MirrorDoor
  /** Answers whoever shows a ticket: `upgrade` gives the socket, which is a line from then on. */
  openLine(book: string, ticket: string, upgrade: () => Promise<WebSocket>): Promise<void>
  /** Does what is due once a day for this book, if nobody has done it today; true when it did. */
  tidy(book: string): Promise<boolean>
  /** Whether this process hears of the others; `silent` until there is a line. */
  newsState(): ReturnType<PostgresNews['state']>
  /** Ends all lines; there are no new ones. */
  closeLines(): void
  /** Waits for what is under way, and lets go of all copies. */
  close(): Promise<void>
}

interface Copy {
  readonly engine: Engine
  readonly mirror: Mirror
  readonly truth: PostgresTruth
  readonly rate: SharedRate
  readonly tickets: SharedTickets
}

interface Entry {
  readonly copy: Promise<Copy>
  users: number
  usedAt: number
}

const unknownToken = () =>
  new DaybookError('unauthorized', 'Token not found.', { details: { reason: 'Token not found' } })

/** The agent that is named when a caller over HTTP stores something and names none. */
const edgeAgent = 'edge'
const tidyEveryMs = 3_600_000
const sweepEveryMs = 300_000
/** Something went wrong here (RFC 6455, section 7.4.1). */
const faultCode = 1011
const requestMemoryMs = 7 * 86_400_000

export async function openPostgresMirrors(options: PostgresMirrorsOptions): Promise<PostgresMirrors> {
  const { postgres, ports, openBooks = 64, idleMs = 600_000, onStep } = options
  const [role] = await guarded(() =>
    postgres.rows<{ bypasses: boolean }>(
      'SELECT rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user',
    ),
  )
  const bypasses = role?.bypasses ?? true
  const entries = new Map<string, Entry>()
  let isClosed = false

  const openCopy = async (book: string, mayMake: boolean): Promise<Copy> => {
    const name = (letter: string) => `${letter}_${toHex(ports.random.bytes(16))}`
    const names = await findBook(
      { postgres, book, bypasses },
      mayMake ? { epoch: name('e'), device: name('d') } : undefined,
    )
    if (!names) throw unknownToken()
    const db = openNodeDatabase({ path: '' })
    try {
      migrate(db, new Date(ports.clock.now()).toISOString())
      nameCopy(db, names)
      const truth = createPostgresTruth({
        postgres,
        book,
        bypasses,
        onStep,
        onCommitted: () => announce(book, []),
      })
      const engine = createEngine({
        db,
        ports,
        truth,
        name: book,
        scope: { agent: edgeAgent },
        durability: 'postgres',
        role: 'mirror',
        keys: verifyingKeyring,
        llm: options.llm,
      })
      truth.follows(engine.store)
      await truth.follow()
      const place = { postgres, book, bypasses }
      return {
        engine,
        truth,
        mirror: createMirror({
          store: engine.store,
          ...ports,
        }),
        rate: createSharedRate(place, options.rate, ports.clock),
        tickets: createSharedTickets(place, ports.random),
      }
    } catch (error) {
      db.close()
      throw error
    }
  }

  const drop = (book: string, entry: Entry) => {
    if (entries.get(book) === entry) entries.delete(book)
    if (entry.users === 0) void entry.copy.then(({ engine }) => engine.close()).catch(() => undefined)
  }

  /** Copies that nobody uses, those longest idle first, as long as they are too many or idle for too long. */
  const clear = () => {
    const idle = [...entries].filter(([, { users }]) => users === 0).sort((a, b) => a[1].usedAt - b[1].usedAt)
    for (const [book, entry] of idle)
      if (entries.size > openBooks || (!lines?.has(book) && ports.clock.now() - entry.usedAt > idleMs))
        drop(book, entry)
  }

  const enter = (book: string, mayMake: boolean): Entry => {
    const known = entries.get(book)
    if (known) return known
    const entry: Entry = { copy: openCopy(book, mayMake), users: 0, usedAt: 0 }
    entries.set(book, entry)
    // A book that is used for minutes is open at no full hour.
    entry.copy.then(
      () => tidyOne(book),
      () => undefined,
    )
    return entry
  }

  /** Gives `work` the copy of a book as it is now. */
  const within = async <Result>(
    book: string,
    mayMake: boolean,
    work: (copy: Copy) => Promise<Result>,
  ): Promise<Result> => {
    if (isClosed) throw new DaybookError('book-closed')
    const entry = enter(book, mayMake)
    entry.users += 1
    let isSound = false
    try {
      const copy = await entry.copy
      const result = await work(copy)
      isSound = !copy.truth.isBroken
      return result
    } catch (error) {
      isSound = await entry.copy.then(
        ({ truth }) => !truth.isBroken,
        () => false,
      )
      throw error
    } finally {
      entry.users -= 1
      entry.usedAt = ports.clock.now()
      if (!isSound || entries.get(book) !== entry) drop(book, entry)
      clear()
    }
  }

  /** Lets `presented` ask one request of a book. */
  const admitted = async <Result>(
    book: string,
    presented: Presented,
    work: (copy: Copy, admitted: Admitted) => Result | Promise<Result>,
  ): Promise<Outcome<Result>> =>
    toOutcome(() => {
      const { bearer } = presented
      if (bearer !== undefined) checkBearer(bearer)
      // A stranger with a token makes no book.
      return within(book, bearer === undefined, async (copy) => {
        const { engine, truth, rate } = copy
        if (bearer !== undefined) await truth.follow()
        const found = await engine.admit(presented).catch(async (error: unknown) => {
          if (isDaybookError(error, 'unauthorized')) await rate.spend('stranger')
          throw error
        })
        await rate.spend(found.id)
        return work(copy, found)
      })
    })

  const onFault = (error: unknown) =>
    ports.log.warn('Lines of a book were not told.', { error: String(error) })
  const lines: BookLines | undefined =
    options.news &&
    createBookLines({
      clock: ports.clock,
      scheduler: ports.scheduler,
      onFault,
      onFirst: () => news?.listen(),
      within: (book, work) =>
        within(book, false, async ({ engine, truth }) => {
          await truth.follow()
          const live: LiveBook = {
            store: engine.store,
            recheck: (standing) => engine.recheck(standing),
          }
          work(live)
        }),
    })
  const news: PostgresNews | undefined =
    options.news &&
    lines &&
    createPostgresNews({
      ...options.news,
      postgres,
      random: ports.random,
      log: ports.log,
      onNews: lines.hear,
      onLook: lines.look,
    })
  const announce = (book: string, came: BookNews['came']) => {
    lines?.hear({ book, came })
    news?.tell({ book, came })
  }

  /** Once a day for each book that is in use, by whichever process comes first. */
  const tidy = async (book: string): Promise<boolean> => {
    const due = await guarded(() =>
      postgres.begin(enterSql(book, bypasses), (sql) =>
        sql.rows(
          `UPDATE daybook.books SET tidied_at = now() WHERE book = $1
             AND coalesce(tidied_at, created_at) < now() - interval '1 day' RETURNING book`,
          [book],
        ),
      ),
    )
    if (due.length === 0) return false
    await within(book, false, async ({ engine, mirror, rate }) => {
      const { store } = engine
      await mirror.tidy()
      await forgetEndedKeys(engine, ports.clock.now())
      const before = new Date(ports.clock.now() - requestMemoryMs).toISOString()
      await store.writes.write(() => store.requests.prune(before))
      await rate.tidy()
    })
    return true
  }
  const tidyOne = (book: string) =>
    tidy(book).catch((error: unknown) => {
      if (!isClosed) ports.log.warn('A book was not tidied.', { error: String(error) })
    })
  const tidyAll = async () => {
    for (const book of [...entries.keys()]) await tidyOne(book)
  }
  const timers = [
    setInterval(() => void tidyAll(), tidyEveryMs),
    setInterval(() => lines?.sweep(), sweepEveryMs),
  ]
  for (const timer of timers) timer.unref()

  return {
    getByName: (book): MirrorDoor => ({
      admit: (id, presented): Promise<Outcome<void>> =>
        admitted(book, presented, ({ engine }, { caller }) => engine.check(id, caller)),
      exchange: (request, presented = {}): Promise<Outcome<string>> =>
        admitted(book, presented, async ({ engine, mirror }, { caller }) => {
          engine.check('daybook:sync', caller)
          const reach = syncReachOf(caller, engine.store.kinds)
          const { text, device, cursor, more } = await mirror.exchange(request, reach)
          if (!more) announce(book, [[device, cursor]])
          return text
        }),
      ...(lines && {
        ticket: (device: string, presented: Presented): Promise<Outcome<unknown>> =>
          admitted(book, presented, async ({ engine, tickets }, found) => {
            const { caller } = found
            engine.check('daybook:sync', caller)
            const reach = syncReachOf(caller, engine.store.kinds)
            const kinds = reach ? { kinds: reach.pulled } : {}
            const standing = standingOf(found)
            await lines.admit(book, standing)
            return { ticket: await tickets.give({ device, standing, ...kinds }), expires_in_ms: ticketMs }
          }),
      }),
      call: (id, input, { requestId, ...presented }): Promise<Outcome<unknown>> =>
        admitted(book, presented, async ({ engine, truth }, { caller }) => {
          await truth.follow()
          return engine.call(id, input, { caller, ...(requestId === undefined ? {} : { requestId }) })
        }),
    }),
    async openLine(book, ticket, upgrade) {
      if (!lines) throw new DaybookError('unknown-route', 'This edge has no lines.')
      const listener = await createSharedTickets({ postgres, book, bypasses }, ports.random).take(ticket)
      await lines.admit(book, listener.standing)
      const socket = await upgrade()
      await lines.add(book, listener, socket).catch((error: unknown) => {
        socket.close(faultCode)
        throw error
      })
    },
    tidy,
    newsState: () => news?.state() ?? 'silent',
    closeLines: () => lines?.close(),
    async close() {
      isClosed = true
      for (const timer of timers) clearInterval(timer)
      lines?.close()
      await news?.close()
      while ([...entries.values()].some(({ users }) => users > 0))
        await new Promise((resolve) => setTimeout(resolve, 10))
      for (const [book, entry] of entries) drop(book, entry)
    },
  }
}
