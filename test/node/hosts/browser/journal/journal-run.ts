// A book over a journal in memory, at work with everything written down, and what a later opening finds of it.
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { toDaybookError } from '../../../../../src/core/errors.ts'
import { createEngine } from '../../../../../src/engine/engine.ts'
import { openJournalDatabase } from '../../../../../src/hosts/browser/storage/journal-database.ts'
import { noting, tell } from '../crash/recording.ts'
import { type Acknowledge, work } from '../crash/workload.ts'
import { createTestTime } from '../../../../support/test-engine.ts'
import { type JournalFault, MemoryJournals, type Shelf } from './memory-journal.ts'

export interface JournalRun {
  readonly journals: MemoryJournals
  /** What the book said after each commit; the first is an empty book. */
  readonly states: readonly string[]
  /** When this many shelves had been, the state of this number had been acknowledged. */
  readonly acknowledged: readonly { readonly shelves: number; readonly state: number }[]
  /** The codes of calls that were refused, of the first opening and of those after a fault. */
  readonly refused: readonly string[]
  readonly openings: number
}

/** Runs the workload of `seed`; a book that broke is opened again, as its tab would. */
export async function runJournalled(
  sqlite3: Sqlite3Static,
  seed: number,
  calls: number,
  fault: () => JournalFault = () => undefined,
): Promise<JournalRun> {
  const journals = new MemoryJournals()
  const states = [JSON.stringify([[], [], [], []])]
  const acknowledged = [{ shelves: 0, state: 0 }]
  const refused: string[] = []
  let openings = 0
  let isBroken = false
  const { ports, pass } = createTestTime()
  const open = () => {
    openings += 1
    isBroken = false
    const storage = openJournalDatabase(sqlite3, journals.open(), { scheduler: ports.scheduler })
    storage.watchFault?.(() => (isBroken = true))
    const last = () => states.at(-1)
    const db = noting(storage.db, last, (now) => states.push(now))
    const engine = createEngine({ db, ports, name: 'b', scope: { agent: 'a' }, durability: 'indexeddb' })
    return { engine, release: storage.release }
  }
  let opened = open()
  const engine = {
    ...opened.engine,
    call: async (...args: Parameters<typeof opened.engine.call>) => opened.engine.call(...args),
  }
  journals.fault = fault
  const acknowledge: Acknowledge = async (made) => {
    const known = refused.length
    for (const outcome of await Promise.allSettled(made)) {
      if (outcome.status === 'rejected') refused.push(toDaybookError(outcome.reason).code)
    }
    if (isBroken) {
      opened.engine.close()
      await opened.release()
      opened = open()
    } else if (refused.length === known)
      acknowledged.push({ shelves: journals.shelves.length, state: states.length - 1 })
  }
  await work({ engine, seed, calls, acknowledge, pass })
  opened.engine.close()
  await opened.release()
  return { journals, states, acknowledged, refused, openings }
}

/** What a book says that is opened from a shelf, after SQLite has checked every page of it. */
export async function readShelf(
  sqlite3: Sqlite3Static,
  shelf: Shelf,
): Promise<{ integrity: unknown; said: string }> {
  const { ports } = createTestTime()
  const { db, release } = openJournalDatabase(sqlite3, new MemoryJournals(shelf).open(), ports)
  const integrity = db.get('PRAGMA integrity_check')?.['integrity_check']
  const said = tell(db)
  db.close()
  await release()
  return { integrity, said }
}
