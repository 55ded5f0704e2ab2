// The worker of the wa-sqlite peer: statements prepared once, one call at a time.
import { expose } from 'comlink'
import { Factory, SQLITE_ROW } from 'wa-sqlite'
import SQLiteModule from 'wa-sqlite/dist/wa-sqlite.mjs'
import { AccessHandlePoolVFS } from 'wa-sqlite/src/examples/AccessHandlePoolVFS.js'
import { countTraces, createTable, insertTrace, selectByDomain } from './sql.ts'

const settings = ['locking_mode = EXCLUSIVE', 'journal_mode = WAL', 'synchronous = NORMAL']

async function openDatabase(name: string) {
  const vfs = new AccessHandlePoolVFS(`/${name}`)
  await vfs.isReady
  const sqlite = Factory(await SQLiteModule())
  sqlite.vfs_register(vfs, true)
  const db = await sqlite.open_v2('bench.sqlite3')
  for (const setting of settings) await sqlite.exec(db, `PRAGMA ${setting}`)
  for (const statement of createTable) await sqlite.exec(db, statement)
  const prepare = async (sql: string) => {
    const prepared = await sqlite.prepare_v2(db, sqlite.str_value(sqlite.str_new(db, sql)))
    if (!prepared) throw new Error(`Nothing to prepare in ${sql}`)
    return prepared.stmt
  }
  const [begin, commit] = [await prepare('BEGIN'), await prepare('COMMIT')]
  const [insert, byDomain, count] = [
    await prepare(insertTrace),
    await prepare(selectByDomain),
    await prepare(countTraces),
  ]

  const run = async (statement: number, params: readonly string[] = []) => {
    params.forEach((value, i) => sqlite.bind_text(statement, i + 1, value))
    const rows: unknown[][] = []
    while ((await sqlite.step(statement)) === SQLITE_ROW) rows.push(sqlite.row(statement))
    await sqlite.reset(statement)
    return rows
  }
  return {
    async store(rows: readonly string[][]) {
      if (rows.length > 1) await run(begin)
      for (const row of rows) await run(insert, row)
      if (rows.length > 1) await run(commit)
    },
    byDomain: async (domain: string) => (await run(byDomain, [domain])).map(([body]) => String(body)),
    count: async () => Number((await run(count))[0]?.[0]),
    async close() {
      for (const statement of [begin, commit, insert, byDomain, count]) await sqlite.finalize(statement)
      await sqlite.close(db)
      await vfs.close()
    },
  }
}

let opened: Awaited<ReturnType<typeof openDatabase>> | undefined
// Steps of this build never wait, yet its calls are asynchronous: two at once must not share a statement.
let last: Promise<unknown> = Promise.resolve()

function inTurn<Result>(work: (db: NonNullable<typeof opened>) => Promise<Result>): Promise<Result> {
  const turn = last.then(() => {
    if (!opened) throw new Error('wa-sqlite is not open')
    return work(opened)
  })
  last = turn.catch(() => undefined)
  return turn
}

const worker = {
  async open(name: string) {
    opened = await openDatabase(name)
  },
  store: (rows: readonly string[][]) => inTurn((db) => db.store(rows)),
  byDomain: (domain: string) => inTurn((db) => db.byDomain(domain)),
  count: () => inTurn((db) => db.count()),
  close: () => inTurn((db) => db.close()),
}
export type WaSqliteWorker = typeof worker

expose(worker)
