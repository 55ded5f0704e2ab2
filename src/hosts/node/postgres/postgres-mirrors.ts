// The mirrors that this process answers for, their truth in PostgreSQL: each with a copy of its book, made when it is
// first asked for and thrown away when it was idle for long, too many are open, or what it has may not be the truth.
// Invariant: nothing is lost with a copy. Copies lie in files without a name, which end with the process.
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { toHex } from '../../../core/ids.ts'
import type { Llm, Ports } from '../../../core/ports.ts'
import { createEngine, type Engine } from '../../../engine.ts'
import { migrate } from '../../../store/migrate.ts'
import { createMirror, type Mirror } from '../../../sync/mirror.ts'
import { createSyncReach } from '../../../sync/sync-reach.ts'
import { accessKeyId } from '../../../trust/access-key.ts'
import { fromBearer } from '../../../trust/token.ts'
import type { MirrorDoor, Presented } from '../../../../worker/edge-env.ts'
import { type Outcome, toOutcome } from '../../../../worker/outcome.ts'
import { createRateLimit, type Rate, type RateLimit } from '../../../../worker/rate-limit.ts'
import { openNodeKeyring } from '../key-file.ts'
import { openNodeDatabase } from '../node-database.ts'
import type { Postgres } from './connect-postgres.ts'
import { guarded } from './postgres-fault.ts'
import {
  createPostgresTruth,
  enterSql,
  findBook,
  nameCopy,
  type PostgresTruth,
  type PostgresTruthOptions,
} from './postgres-truth.ts'

export interface PostgresMirrorsOptions {
  readonly postgres: Postgres
  readonly ports: Ports
  /** What each caller may ask of one book, in this process. */
  readonly rate: Rate
  /** A language model for summaries and profiles. */
  readonly llm?: Llm | undefined
  /** Copies that are open at once, 64 by default, and how long one may be idle, 10 minutes. */
  readonly openBooks?: number
  readonly idleMs?: number
  readonly onStep?: PostgresTruthOptions['onStep']
}

export interface PostgresMirrors {
  getByName(book: string): MirrorDoor
  /** Waits for what is under way, and lets go of all copies. */
  close(): Promise<void>
}

interface Copy {
  readonly engine: Engine
  readonly mirror: Mirror
  readonly truth: PostgresTruth
  readonly rate: RateLimit
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
      const truth = createPostgresTruth({ postgres, book, bypasses, onStep })
      const engine = createEngine({
        ...{
          db,
          ports,
          truth,
          name: book,
          scope: { agent: edgeAgent },
          durability: 'postgres',
          role: 'mirror',
        },
        keys: openNodeKeyring(undefined),
        llm: options.llm,
      })
      truth.follows(engine.store)
      await truth.follow()
      const rate = createRateLimit(db, ports.clock, options.rate)
      return { engine, mirror: createMirror({ store: engine.store, ...ports }), truth, rate }
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
      if (entries.size > openBooks || ports.clock.now() - entry.usedAt > idleMs) drop(book, entry)
  }

  const enter = (book: string, mayMake: boolean): Entry => {
    const known = entries.get(book)
    if (known) return known
    const entry: Entry = { copy: openCopy(book, mayMake), users: 0, usedAt: 0 }
    entries.set(book, entry)
    return entry
  }

  /** Gives `work` the copy of a book as it is now. */
  const within = async <Result>(
    book: string,
    { bearer }: Presented,
    work: (copy: Copy) => Promise<Result>,
  ): Promise<Result> => {
    if (isClosed) throw new DaybookError('book-closed')
    if (bearer !== undefined && accessKeyId(bearer) === undefined && !fromBearer(bearer)) throw unknownToken()
    // A stranger with a token makes no book.
    const entry = enter(book, bearer === undefined)
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

  /** Once a day for each book that is in use, by whichever process comes first. */
  const tidy = async (book: string) => {
    const isDue = await postgres.begin(enterSql(book, bypasses), async (sql) => {
      const due = await sql.rows(
        `UPDATE daybook.books SET tidied_at = now() WHERE book = $1
           AND coalesce(tidied_at, created_at) < now() - interval '1 day' RETURNING book`,
        [book],
      )
      return due.length > 0
    })
    if (!isDue) return
    await within(book, {}, async ({ engine: { store }, mirror }) => {
      await mirror.tidy()
      const before = new Date(ports.clock.now() - requestMemoryMs).toISOString()
      await store.writes.write(() => store.requests.prune(before))
    })
  }
  const tidyAll = async () => {
    for (const book of entries.keys())
      await tidy(book).catch((error: unknown) =>
        ports.log.warn('A book was not tidied.', { error: String(error) }),
      )
  }
  const timer = setInterval(() => void tidyAll(), tidyEveryMs)
  timer.unref()

  /** Who calls, as of now, at the cost of one request. Each process counts for itself. */
  const admit = async ({ engine, truth, rate }: Copy, presented: Presented) => {
    if (presented.bearer !== undefined) await truth.follow()
    const admitted = await engine.admit(presented).catch((error: unknown) => {
      if (isDaybookError(error, 'unauthorized')) rate.spend('stranger')
      throw error
    })
    rate.spend(admitted.id)
    return admitted.caller
  }

  return {
    getByName: (book): MirrorDoor => ({
      admit: (id, presented): Promise<Outcome<void>> =>
        toOutcome(() =>
          within(book, presented, async (copy) => copy.engine.check(id, await admit(copy, presented))),
        ),
      exchange: (request, presented = {}): Promise<Outcome<unknown>> =>
        toOutcome(() =>
          within(book, presented, async (copy) => {
            const { engine, mirror } = copy
            const caller = await admit(copy, presented)
            if (caller.role === 'owner') return mirror.exchange(request)
            engine.check('daybook:sync', caller)
            return mirror.exchange(request, createSyncReach(caller.granted ?? {}, engine.store.kinds))
          }),
        ),
      call: (id, input, { requestId, ...presented }): Promise<Outcome<unknown>> =>
        toOutcome(() =>
          within(book, presented, async (copy) => {
            const caller = await admit(copy, presented)
            await copy.truth.follow()
            return copy.engine.call(id, input, { caller, ...(requestId === undefined ? {} : { requestId }) })
          }),
        ),
    }),
    async close() {
      isClosed = true
      clearInterval(timer)
      while ([...entries.values()].some(({ users }) => users > 0))
        await new Promise((resolve) => setTimeout(resolve, 10))
      for (const [book, entry] of entries) drop(book, entry)
    },
  }
}
