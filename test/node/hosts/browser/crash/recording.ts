// A book at work on a fake disk, with everything written down: each step of the disk, each state that was committed, and
// which of them had been acknowledged when.
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { toDaybookError } from '../../../../../src/core/errors.ts'
import type { SqlDatabase } from '../../../../../src/core/ports.ts'
import { createEngine } from '../../../../../src/engine/engine.ts'
import { openOpfsDatabase } from '../../../../../src/hosts/browser/storage/opfs-database.ts'
import { createTestTime } from '../../../../support/test-engine.ts'
import { FakeDisk, type Fault, type Step } from './fake-disk.ts'
import { mount, mounted } from './fake-opfs.ts'
import { type Acknowledge, work } from './workload.ts'

export interface Setting {
  readonly strict: boolean
  /** Pages of the log between checkpoints; 0 leaves it as it is. */
  readonly checkpointPages: number
  readonly calls: number
  /** Keeps a checkpoint beside the book, in the same pool. */
  readonly isCopied?: boolean
}

export interface Recording {
  readonly log: readonly Step[]
  /** What the book would say after each commit, and how long the log of steps was before it. The first is an empty book. */
  readonly states: readonly { readonly said: string; readonly steps: number }[]
  /** After this many steps the state of this number had been acknowledged. */
  readonly acknowledged: readonly { readonly steps: number; readonly state: number }[]
  /** The codes of calls that were refused. */
  readonly refused: readonly string[]
  /** What the book said before it was closed. */
  readonly last: string
}

const said = [
  'SELECT id, kind, ver, op, rev, deleted, updated_at, body FROM records ORDER BY seq',
  'SELECT n, seq, base, mid, base_rev, rev FROM ops ORDER BY n',
  'SELECT seq, version, op, body FROM history ORDER BY seq, version',
  'SELECT request, result FROM applied_requests ORDER BY request',
]

/** All that a call can be told of what was stored. A book that was never whole says what an empty one does. */
export function tell(db: SqlDatabase): string {
  const whole = db.get(`SELECT 1 FROM sqlite_schema WHERE name = 'ops_urgent'`)
  return JSON.stringify(said.map((sql) => (whole ? db.all(sql) : [])))
}

/**
 * `db`, of which `note` hears what it says at the end of each transaction that changed it since `last`. That is before the
 * commit: what the storage refuses then may be there all the same, though nobody was told so.
 */
export const noting = (db: SqlDatabase, last: () => string | undefined, note: (said: string) => void) => ({
  ...db,
  transaction: <Result>(body: () => Result): Result =>
    db.transaction(() => {
      const result = body()
      const now = tell(db)
      if (now !== last()) note(now)
      return result
    }),
})

let recordings = 0

/** Runs the workload of `seed` and gives back what happened. `faultAt` makes steps of the disk fail. */
export async function record(
  sqlite3: Sqlite3Static,
  seed: number,
  { strict, checkpointPages, calls, isCopied = false }: Setting,
  faultAt: (step: Step) => Fault = () => undefined,
): Promise<Recording & { readonly disk: FakeDisk }> {
  const disk = new FakeDisk()
  mount(disk)
  const storage = await openOpfsDatabase(sqlite3, `at-work-${++recordings}`, mounted)
  if (strict) storage.makeStrict()
  if (checkpointPages > 0) storage.db.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
  const states = [{ said: tell(storage.db), steps: 0 }]
  const acknowledged = [{ steps: 0, state: 0 }]
  const refused: string[] = []
  const last = () => states.at(-1)?.said
  const db = noting(storage.db, last, (now) => states.push({ said: now, steps: disk.log.length }))
  const { ports, pass } = createTestTime()
  const engine = createEngine({
    db,
    ports,
    name: 'b',
    scope: { agent: 'a' },
    durability: 'opfs',
    ...(isCopied && storage.checkpointFile
      ? {
          checkpointFile: {
            file: storage.checkpointFile,
            isWanted: true,
          },
        }
      : {}),
  })
  disk.fault = faultAt
  const acknowledge: Acknowledge = async (calls) => {
    const known = refused.length
    for (const outcome of await Promise.allSettled(calls)) {
      if (outcome.status === 'rejected') refused.push(toDaybookError(outcome.reason).code)
    }
    if (refused.length > known) return
    acknowledged.push({ steps: disk.log.length, state: states.length - 1 })
  }
  await work({ engine, seed, calls, acknowledge, pass })
  const saidLast = tell(storage.db)
  disk.fault = () => undefined
  engine.close()
  storage.release()
  return { disk, log: disk.log, states, acknowledged, refused, last: saidLast }
}
