// What outlives a crash: one database, and the handles of the engines that came and went on it.
// Invariant: a handle that has died does nothing any more; what it had committed stays, and nothing else.
import type { SqlDatabase, SqlRow, SqlValue } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { prepareDerived } from '../../../src/store/schema/derived.ts'
import { migrate } from '../../../src/store/schema/version.ts'
import { Settings } from '../../../src/store/schema/settings.ts'
import type { Kinds } from '../../../src/core/kind.ts'

/** The process has died here. Nobody sees it but the test. */
export class Crash extends Error {}

export interface Handle extends SqlDatabase {
  alive(): boolean
  die(): void
  /** Dies at the end of the `nth` transaction from now: once it is committed, or just before. */
  dieAt(nth: number, committed: boolean): void
}

/** The rows of every table that is not derived from others. */
export type Image = ReadonlyMap<string, readonly SqlRow[]>

export interface Disk {
  /** Past all handles, for what only a test asks. */
  readonly db: SqlDatabase
  /** The engine of a new process; the one before has died. */
  plug(): Handle
  save(): Image
  load(image: Image): void
}

const unused: Disk[] = []

/** An empty, migrated database. Databases are used again: making one costs more than a whole schedule. */
export function takeDisk(kinds: Kinds): Disk {
  return unused.pop() ?? createDisk(kinds)
}

export function giveBack(disk: Disk & { wipe?: () => void }): void {
  disk.wipe?.()
  unused.push(disk)
}

function createDisk(kinds: Kinds): Disk & { wipe(): void } {
  const db = openNodeDatabase({ path: ':memory:' })
  const settings = new Settings(db)
  migrate(db, '2026-01-01T00:00:00.000Z')
  prepareDerived(db, { kinds }, settings)
  const tables = readTables(db)
  const derived = new Set(['stale', 'links', 'facets'])
  let last: Handle | undefined

  const empty = () => {
    if (settings.getNumber('derived_seq') > 0)
      db.exec("INSERT INTO text_index (text_index) VALUES ('delete-all')")
    for (const { name } of tables) db.run(`DELETE FROM ${name}`)
  }
  const save = (): Image =>
    new Map(
      tables
        .filter(({ name }) => !derived.has(name))
        .map(({ name }) => [name, db.all(`SELECT * FROM ${name}`)] as const)
        .filter(([, rows]) => rows.length > 0),
    )
  const load = (image: Image) => {
    last?.die()
    db.transaction(() => {
      empty()
      for (const [name, rows] of image) {
        for (const row of rows) {
          const columns = Object.keys(row)
          db.run(
            `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
            Object.values(row) as SqlValue[],
          )
        }
      }
      // What is derived is made anew from the records.
      settings.set('derived_seq', 0)
    })
  }
  const blank = save()

  return {
    db,
    plug() {
      last?.die()
      return (last = createHandle(db))
    },
    save,
    load,
    wipe: () => load(blank),
  }
}

function readTables(db: SqlDatabase): { name: string }[] {
  return db.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%' AND name NOT LIKE 'text_index%'",
  )
}

function createHandle(db: SqlDatabase): Handle {
  let alive = true
  let left = Number.POSITIVE_INFINITY
  let whenCommitted = false
  const live = () => {
    if (!alive) throw new Crash('This process has died.')
  }
  return {
    alive: () => alive,
    die: () => void (alive = false),
    dieAt(nth, committed) {
      left = nth
      whenCommitted = committed
    },
    exec(sql) {
      live()
      db.exec(sql)
    },
    run(sql, params) {
      live()
      db.run(sql, params)
    },
    all(sql, params) {
      live()
      return db.all(sql, params)
    },
    get(sql, params) {
      live()
      return db.get(sql, params)
    },
    transaction(work) {
      live()
      const isLast = --left <= 0
      const result = db.transaction(() => {
        const done = work()
        if (isLast && !whenCommitted) {
          alive = false
          live()
        }
        return done
      })
      if (isLast) alive = false
      live()
      return result
    },
    sizeBytes: () => db.sizeBytes(),
    scrub: () => undefined,
    close: () => undefined,
  }
}
