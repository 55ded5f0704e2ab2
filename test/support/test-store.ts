// A book's store in memory, with a clock and a scheduler that stand still until a test moves them.
import { noCipher, noDigest } from './server/no-port.ts'
import { type Kind, createKinds } from '../../src/core/kind.ts'
import type { JsonObject } from '../../src/core/json/path.ts'
import type { Ports, SqlDatabase } from '../../src/core/ports.ts'
import type { Schema } from '../../src/core/schema.ts'
import { formatTime } from '../../src/core/time.ts'
import { openNodeDatabase } from '../../src/hosts/node/book/node-database.ts'
import { type BookStore, type BookStoreOptions, openBookStore } from '../../src/store/book-store.ts'
import type { RecordRow } from '../../src/store/schema/record-row.ts'

const anything: Schema<unknown, object> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as object }) },
}

/** A kind that takes any body; what a test is about is passed in. */
export function makeKind(over: Partial<Kind> = {}): Kind {
  return {
    name: 'thing',
    summary: 'Anything.',
    version: 1,
    schema: anything,
    text: [],
    facets: {},
    policy: 'last_write_wins',
    ...over,
  }
}

export interface Head {
  readonly id?: string
  readonly kind?: string
  readonly agent?: string
  readonly session?: string
  readonly resource?: string
  readonly sensitivity?: 'public' | 'standard'
}

export interface TestStore extends BookStore {
  /** Milliseconds since 1970 UTC. Moves by hand. */
  now: number
  /** Runs the tasks that were to run soon, and those they ask for. */
  turn(): void
  /** Puts a record, inside a transaction that the test has begun or in one of its own. */
  put(body: JsonObject, head?: Head): RecordRow
  forget(id: string): void
}

export interface TestStoreOptions extends Partial<Pick<BookStoreOptions, 'textIndex' | 'sealer' | 'role'>> {
  /** A database that is there already, perhaps with a book in it. */
  readonly db?: SqlDatabase
}

export function openTestStore(
  kinds: readonly Kind[],
  { db = openNodeDatabase({ path: ':memory:' }), ...more }: TestStoreOptions = {},
): TestStore {
  let tasks: (() => void)[] = []
  let inside = false
  let serial = 0
  const state = { now: 1_769_900_000_000 }
  const ports: Ports = {
    clock: { now: () => state.now },
    random: {
      bytes: (count) => Uint8Array.from({ length: count }, (_, i) => (i * 37 + ++serial * 11) & 0xff),
    },
    scheduler: { soon: (task) => void tasks.push(task), later: () => () => undefined },
    log: { warn: () => undefined },
    digest: noDigest,
    cipher: noCipher,
  }
  const transaction = <Result>(work: () => Result): Result =>
    db.transaction(() => {
      inside = true
      try {
        return work()
      } finally {
        inside = false
      }
    })
  const within = <Result>(work: () => Result): Result => (inside ? work() : transaction(work))
  const store = openBookStore(
    { ...db, transaction },
    { kinds: createKinds(kinds), role: 'device', ports, onCommit: () => undefined, ...more },
  )
  const first = kinds[0]?.name ?? ''
  return Object.assign(state, store, {
    turn() {
      for (; tasks.length > 0;) {
        const due = tasks
        tasks = []
        for (const task of due) task()
      }
    },
    put(body: JsonObject, { id = `r-${++serial}`, kind = first, agent = 'tester', ...scope }: Head = {}) {
      const at = formatTime(state.now)
      const op = {
        op: 'put' as const,
        kind,
        id,
        agent,
        ...scope,
        at,
        created_at: at,
        stamp: store.stamps.next(),
        body,
      }
      return within(() => store.records.put(op))
    },
    forget(id: string) {
      const kind = store.records.row(id)?.kind ?? first
      const op = {
        op: 'forget' as const,
        kind,
        id,
        agent: 'tester',
        at: formatTime(state.now),
        stamp: store.stamps.next(),
      }
      within(() => store.records.forget(op))
    },
  })
}
