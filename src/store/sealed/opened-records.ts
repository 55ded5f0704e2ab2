// Sealed records in clear, in a database in memory: so that they are found by the same questions as all others while the
// keys are here. Invariant: nothing of it is written anywhere; it is taken from what the book holds, so a rollback leaves
// no trace in it; and it is empty as soon as the keys are put away.
import type { Kinds } from '../../core/kind.ts'
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import type { Bodies } from '../record/bodies.ts'
import { prepareDerived } from '../schema/derived.ts'
import { migrate } from '../schema/migrate.ts'
import { createProjection, type Projection } from '../record/projection.ts'
import { createQueryStore, type QueryParts } from '../query/query-store.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { SealedWatcher } from '../record/record-store.ts'
import { createSettings } from '../schema/settings.ts'

export interface Shelf extends SealedWatcher {
  /** Keys came or went: what can be read is looked at anew. */
  renew(): void
  /** The questions, over a shelf that is caught up; undefined while nothing is on it. `within`: inside a transaction. */
  questions(within?: boolean): QueryParts | undefined
  close(): void
}

export interface ShelfParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly bodies: Bodies
  readonly clock: Clock
  readonly openMemory: () => SqlDatabase
  /** The questions over what is not sealed, for what is told from both. */
  readonly main: QueryParts
}

interface Board {
  readonly memory: SqlDatabase
  readonly projection: Projection
  readonly questions: QueryParts
}

const batch = 500

export function createShelf({ db, kinds, bodies, clock, openMemory, main }: ShelfParts): Shelf {
  let board: Board | undefined
  /** Records on the shelf, and those to be looked at: none of them is missed, some are looked at for nothing. */
  const held = new Set<number>()
  const due = new Set<number>()

  const open = (): Board => {
    const memory = openMemory()
    migrate(memory, formatTime(clock.now()))
    const settings = createSettings(memory)
    prepareDerived(memory, kinds, settings)
    const projection = createProjection(memory, kinds, settings)
    return {
      memory,
      projection,
      questions: createQueryStore(memory, kinds, projection, undefined, clock, { beside: main }),
    }
  }

  const clear = () => {
    board?.memory.close()
    board = undefined
    held.clear()
  }

  const renew = () => {
    clear()
    due.clear()
    for (const { seq } of db.all<{ seq: number }>('SELECT seq FROM records WHERE kid IS NOT NULL'))
      due.add(seq)
  }

  const put = ({ memory, projection }: Board, row: RecordRow, text: string) => {
    const { seq } = row
    memory.run(
      `INSERT OR REPLACE INTO records (seq, id, kind, agent, session, resource, created_at, updated_at, stamp, ver, place,
         device, op, rev, deleted, sensitivity, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
      [
        seq,
        row.id,
        row.kind,
        row.agent,
        row.session,
        row.resource,
        row.created_at,
        row.updated_at,
        row.stamp,
        row.ver,
        row.place,
        row.device,
        row.op,
        row.rev,
        row.sensitivity,
        text,
      ],
    )
    const uses = db.get<{ count: number; last_at: string }>('SELECT count, last_at FROM uses WHERE seq = ?', [
      seq,
    ])
    if (uses) {
      memory.run('INSERT OR REPLACE INTO uses (seq, count, last_at) VALUES (?, ?, ?)', [
        seq,
        uses.count,
        uses.last_at,
      ])
    }
    held.add(seq)
    if (seq <= projection.derivedSeq()) projection.markStale(seq)
    else projection.markGrown()
  }

  const remove = ({ memory, projection }: Board, seq: number) => {
    // Its derived rows go as those of a forgotten record do.
    memory.run("UPDATE records SET deleted = 1, body = '{}' WHERE seq = ?", [seq])
    projection.markStale(seq)
    held.delete(seq)
  }

  const take = (seqs: readonly number[]) => {
    const rows = db.all<RecordRow>(
      `SELECT ${recordColumns} FROM records r
       WHERE r.seq IN (SELECT value FROM json_each(?)) AND r.kid IS NOT NULL AND r.deleted = 0`,
      [JSON.stringify(seqs)],
    )
    const readable = new Map(
      rows.flatMap((row) => {
        const text = bodies.open(row, row.body)
        return text === undefined ? [] : [[row.seq, { row, text }] as const]
      }),
    )
    if (readable.size === 0 && !seqs.some((seq) => held.has(seq))) return
    const on = (board ??= open())
    on.memory.transaction(() => {
      for (const seq of seqs) {
        const found = readable.get(seq)
        if (found) put(on, found.row, found.text)
        else if (held.has(seq)) remove(on, seq)
      }
    })
  }

  renew()
  return {
    changed: (seq) => void due.add(seq),
    placed(seq) {
      if (held.has(seq)) due.add(seq)
    },
    mirrorCleared: () => {
      for (const seq of held) due.add(seq)
    },
    renew,
    questions(within = false) {
      const seqs = [...due]
      for (let from = 0; from < seqs.length; from += batch) take(seqs.slice(from, from + batch))
      // What a transaction that is not over says may yet be undone, and is looked at once more.
      if (!within) due.clear()
      return held.size === 0 ? undefined : board?.questions
    },
    close: clear,
  }
}
