// Opens what a crash left, with the code that ships, and says what the book says then.
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { createEngine } from '../../../../../src/engine/engine.ts'
import { openOpfsDatabase } from '../../../../../src/hosts/browser/storage/opfs-database.ts'
import { makeTrace } from '../../../../support/trace.ts'
import { createTestTime } from '../../../../support/test-engine.ts'
import { type DiskFile, FakeDisk } from './fake-disk.ts'
import { mount, mounted } from './fake-opfs.ts'
import { readRepairReport } from '../../../../../src/store/repair/repair-report.ts'
import { tell } from './recording.ts'

const copied = 'SELECT seq, id, rev, deleted, body FROM records ORDER BY seq'

export interface Recovered {
  /** SQLite's own check of every page and index: `ok`. */
  readonly integrity: unknown
  readonly said: string
  /** The file was lost or broken, and the book came back from the copy beside it. */
  readonly isMended: boolean
}

/** `pool` names what stays of one call to the next: a new name is a pool that is started from nothing. */
export async function recover(
  sqlite3: Sqlite3Static,
  pool: string,
  files: Map<string, DiskFile>,
): Promise<Recovered> {
  mount(new FakeDisk(files))
  const { db, release } = await openOpfsDatabase(sqlite3, pool, mounted)
  const integrity = db.get('PRAGMA integrity_check')?.['integrity_check']
  const recovered = { integrity, said: tell(db), isMended: readRepairReport(db) !== undefined }
  db.close()
  release()
  return recovered
}

/**
 * The same, and then a day of ordinary use: the engine opens, answers, stores, indexes what it had not yet, and
 * brings its checkpoint up to date.
 */
export async function use(
  sqlite3: Sqlite3Static,
  pool: string,
  files: Map<string, DiskFile>,
): Promise<unknown> {
  mount(new FakeDisk(files))
  const { db, release, checkpointFile } = await openOpfsDatabase(sqlite3, pool, mounted)
  if (!checkpointFile) throw new Error('There is no place for a checkpoint.')
  const { ports, pass } = createTestTime()
  const engine = createEngine({
    db,
    ports,
    name: 'b',
    scope: { agent: 'a' },
    durability: 'opfs',
    checkpointFile: {
      file: checkpointFile,
      isWanted: true,
    },
  })
  const stored = (await engine.call(
    'kstar:store_trace',
    makeTrace({ task: { goal: 'Zanzibar', constraints: [] } }),
  )) as {
    id: string
  }
  await pass()
  const { hits } = (await engine.call('daybook:recall', { text: 'zanzibar' })) as {
    hits: { record: { id: string } }[]
  }
  const count = db.get('SELECT count(*) AS n FROM records WHERE deleted = 0')?.['n']
  const listed = (await engine.call('kstar:count_traces', {})) as { total: number }
  const integrity = db.get('PRAGMA integrity_check')?.['integrity_check']
  await pass(60_000)
  const records = JSON.stringify(db.all(copied))
  engine.close()
  const copy = checkpointFile.open()
  const isCopied = JSON.stringify(copy.all(copied)) === records
  copy.close()
  release()
  return { isCopied, found: hits[0]?.record.id === stored.id, listed: listed.total === count, integrity }
}
