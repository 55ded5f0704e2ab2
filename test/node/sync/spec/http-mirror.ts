// A real mirror behind the real HTTP app, in this process: its clock is set by hand, its randomness repeats, and its
// database can be copied and set back.
import type { Kinds } from '../../../../src/core/kind.ts'
import type { Ports, SqlDatabase, SqlRow, SqlValue } from '../../../../src/core/ports.ts'
import { createApp } from '../../../../src/doors/http/app.ts'
import { toOutcome } from '../../../../src/edge/outcome.ts'
import { kinds as allKinds } from '../../../../src/engine/capability-table.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { type BookStore, openBookStore } from '../../../../src/store/book-store.ts'
import { SyncMirror } from '../../../../src/sync/mirror/mirror.ts'
import type { SyncReach } from '../../../../src/sync/mirror/sync-reach.ts'
import { createNumbers } from '../../../contract/mirror/mirror-world.ts'
import { noCipher, noDigest } from '../../../support/server/no-port.ts'

export const edgeKey = 'a-key-of-this-edge'
export const edgeUrl = 'https://daybook.example.org'

export type Ask = (path: string, init: RequestInit) => Promise<Response>

/** The app, with `exchange` as the mirror of every book. */
export function createAsk(exchange: (text: string) => Promise<string>): Ask {
  const app = createApp()
  const door = {
    admit: () => toOutcome(() => undefined),
    exchange: (text: string) => toOutcome(() => exchange(text)),
    call: () => toOutcome(() => undefined),
  }
  const env = { DAYBOOK_KEY: edgeKey, MIRROR: { getByName: () => door } }
  return async (path, init) => app.fetch(new Request(`${edgeUrl}${path}`, init), env)
}

/** One `POST` as section 2 of the specification has it. */
export const postOf = (body: string, more: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { authorization: `Bearer ${edgeKey}`, 'content-type': 'application/json', ...more },
  body,
})

/** What a mirror has written, and not derived from that. */
const tables = ['book', 'records', 'history', 'devices', 'results', 'conflicts'] as const
type Copy = readonly (readonly [table: string, rows: readonly SqlRow[]])[]

export interface HttpMirror {
  readonly clock: { nowMs: number }
  /** Whom the next requests come from, if not the owner. */
  reach: SyncReach | undefined
  readonly ask: Ask
  /** One request and its answer, both JSON; `status` 200 or that of a refusal. */
  post(request: unknown): Promise<{ status: number; body: Record<string, unknown> }>
  store(): BookStore
  tidy(): Promise<number>
  copy(): Copy
  restore(copy: Copy): void
}

export function createHttpMirror({ kinds = allKinds }: { kinds?: Kinds } = {}): HttpMirror {
  const clock = { nowMs: Date.UTC(2026, 0, 31, 15) }
  const numbers = createNumbers(14)
  const ports: Ports = {
    clock: { now: () => clock.nowMs },
    random: { bytes: (size) => Uint8Array.from({ length: size }, () => numbers() & 0xff) },
    scheduler: { soon: (task) => queueMicrotask(task), later: () => () => undefined },
    digest: noDigest,
    cipher: noCipher,
    log: { warn: () => undefined },
  }
  const db = openNodeDatabase({ path: ':memory:' })
  const open = (): { store: BookStore; mirror: SyncMirror } => {
    const store = openBookStore(db, { kinds, role: 'mirror', ports, onCommit: () => undefined })
    return { store, mirror: new SyncMirror({ store, ...ports }) }
  }
  let opened = open()
  const ask = createAsk(async (text) => (await opened.mirror.exchange(text, mirror.reach)).text)
  const mirror: HttpMirror = {
    clock,
    reach: undefined,
    ask,
    async post(request) {
      const response = await ask('/v1/books/garden/sync', postOf(JSON.stringify(request)))
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    store: () => opened.store,
    tidy: () => opened.mirror.collectTombstones(),
    copy: () => tables.map((table) => [table, db.all(`SELECT * FROM ${table}`)] as const),
    restore(copy) {
      db.transaction(() => load(db, copy))
      opened = open()
    },
  }
  return mirror
}

function load(db: SqlDatabase, copy: Copy): void {
  for (const [table, rows] of copy) {
    db.run(`DELETE FROM ${table}`)
    for (const row of rows) {
      const names = Object.keys(row)
      const places = names.map(() => '?').join(', ')
      db.run(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`,
        Object.values(row) as SqlValue[],
      )
    }
  }
}
