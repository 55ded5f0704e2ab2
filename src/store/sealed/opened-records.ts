// Sealed records that were opened: in clear, in a database in memory, so that the same questions find them as all others
// while the keys are here. Invariant: nothing of them is written anywhere; they are read from what the book holds, so a
// rollback leaves no trace in them; and there are none as soon as the keys are put away.
import type { Zone } from '../../core/calendar/zone.ts'
import { isScoped, type Kinds } from '../../core/kind.ts'
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import type { Bodies } from '../record/bodies.ts'
import { prepareDerived } from '../schema/derived.ts'
import { migrate } from '../schema/migrate.ts'
import { createProjection, type Projection } from '../record/projection.ts'
import { createReachIndexes } from '../query/reach-index.ts'
import { createQueryStore, type QueryParts } from '../query/query-store.ts'
import { insertedValues, type RecordRow, recordColumns, replaceRecordSql } from '../schema/record-row.ts'
import type { SealedWatcher } from '../record/record-store.ts'
import { rememberSettings } from '../schema/settings.ts'
import { sourceByPolicy, sourceElsewhere } from '../condition/made-sql.ts'
import { type UnreadGroup, unreadGroups } from './unread.ts'

export interface OpenedRecords extends SealedWatcher {
  /** Keys came or went: what can be read is looked at anew. */
  renew(): void
  /** The questions, over the opened records, caught up; undefined while there are none. `within`: inside a transaction. */
  questions(within?: boolean): QueryParts | undefined
  isOpened(seq: number): boolean
  /** Sealed records that are not opened. */
  unread(): readonly UnreadGroup[]
  close(): void
}

export interface OpenedRecordsParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly bodies: Bodies
  readonly clock: Clock
  readonly zone: Zone
  readonly openMemory: () => SqlDatabase
  /** The questions over what is not sealed, for answers that need both. */
  readonly main: QueryParts
}

interface Opened {
  readonly memory: SqlDatabase
  readonly projection: Projection
  readonly questions: QueryParts
}

const batch = 500
/** What the book keeps beside its records and questions ask for: a record takes it along. */
const besideTables = [
  { name: 'uses', columns: ['seq', 'count', 'last_at'] },
  { name: 'sources', columns: ['source', 'seq', 'kind'] },
  { name: 'outdated', columns: ['seq', 'is_gone', 'is_heard', 'is_purged'] },
] as const

export function createOpenedRecords({
  db,
  kinds,
  bodies,
  clock,
  zone,
  openMemory,
  main,
}: OpenedRecordsParts): OpenedRecords {
  let opened: Opened | undefined
  /** Records that are opened, and those to be looked at: none of them is missed, some are looked at for nothing. */
  const held = new Set<number>()
  const due = new Set<number>()
  /** Counted once for all questions between two changes. */
  let unread: readonly UnreadGroup[] | undefined

  const open = (): Opened => {
    const { db: memory, settings } = rememberSettings(openMemory())
    migrate(memory, formatTime(clock.now()))
    prepareDerived(memory, { kinds, zone }, settings)
    const projection = createProjection(memory, kinds, settings, { zone })
    return {
      memory,
      projection,
      questions: createQueryStore({
        db: memory,
        kinds,
        projection,
        clock,
        zone,
        beside: main,
        reachIndexes: createReachIndexes({ db: memory, kinds, projection, zone, role: 'device' }),
      }),
    }
  }

  const clear = () => {
    opened?.memory.close()
    opened = undefined
    held.clear()
  }

  const renew = () => {
    clear()
    unread = undefined
    due.clear()
    for (const { seq } of db.all<{ seq: number }>('SELECT seq FROM records WHERE kid IS NOT NULL'))
      due.add(seq)
  }

  /** The sources of a record, also over others, that are not among the opened records, and what stands for them there. */
  const elsewhere = ({ seq, kind: name }: RecordRow) => {
    const kind = kinds.get(name)
    const all = kind?.madeFrom && isScoped(kind) ? sourcesOf(db, seq) : []
    const here = all.filter(({ deleted }) => deleted === 0)
    const closed = here.filter((one) => one.kid === null || !bodies.open(one, one.body))
    const marks = closed.map((one) => (kinds.get(one.kind)?.byPolicy ? sourceByPolicy : sourceElsewhere))
    return { ids: closed.map(({ id }) => id), marks: [...new Set(marks)] }
  }

  const put = ({ memory, projection }: Opened, row: RecordRow, text: string) => {
    const { seq } = row
    memory.run(replaceRecordSql, insertedValues({ ...row, kid: null, body: text }))
    for (const { name, columns } of besideTables) {
      memory.run(`DELETE FROM ${name} WHERE seq = ?`, [seq])
      const names = columns.join(', ')
      for (const one of db.all(`SELECT ${names} FROM ${name} WHERE seq = ?`, [seq])) {
        memory.run(
          `INSERT OR REPLACE INTO ${name} (${names}) VALUES (${columns.map(() => '?').join(', ')})`,
          columns.map((column) => one[column] ?? null),
        )
      }
    }
    const { ids, marks } = elsewhere(row)
    // No source counts as one of which nothing is known while it is in the book.
    memory.run('DELETE FROM sources WHERE seq = ? AND source IN (SELECT value FROM json_each(?))', [
      seq,
      JSON.stringify(ids),
    ])
    for (const mark of marks)
      memory.run('INSERT OR REPLACE INTO sources (source, seq, kind) VALUES (?, ?, ?)', [mark, seq, row.kind])
    held.add(seq)
    if (seq <= projection.derivedSeq()) projection.markStale(seq)
    else projection.markGrown()
  }

  const remove = ({ memory, projection }: Opened, seq: number) => {
    // Its derived rows go as those of a forgotten record do.
    memory.run("UPDATE records SET deleted = 1, body = '{}' WHERE seq = ?", [seq])
    memory.run('DELETE FROM sources WHERE seq = ?', [seq])
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
    opened ??= open()
    const on = opened
    on.memory.transaction(() => {
      for (const seq of seqs) {
        const found = readable.get(seq)
        if (found) put(on, found.row, found.text)
        else if (held.has(seq)) remove(on, seq)
      }
    })
  }

  const questions: OpenedRecords['questions'] = (within = false) => {
    const seqs = [...due]
    for (let from = 0; from < seqs.length; from += batch) take(seqs.slice(from, from + batch))
    // What a transaction that is not over says may yet be undone, and is looked at once more.
    if (!within) due.clear()
    return held.size === 0 ? undefined : opened?.questions
  }

  renew()
  return {
    changed(seq) {
      due.add(seq)
      unread = undefined
    },
    placed(seq) {
      if (held.has(seq)) due.add(seq)
    },
    mirrorCleared: () => {
      for (const seq of held) due.add(seq)
    },
    renew,
    questions,
    isOpened: (seq) => held.has(seq),
    unread() {
      questions()
      return (unread ??= unreadGroups(db, held))
    },
    close: clear,
  }
}

/** All that the record at `seq` was made from, and what that was made from. */
function sourcesOf(db: SqlDatabase, seq: number): RecordRow[] {
  return db.all<RecordRow>(
    `WITH RECURSIVE up (id) AS (SELECT source FROM sources WHERE seq = ?
       UNION SELECT s.source FROM up JOIN records t ON t.id = up.id JOIN sources s ON s.seq = t.seq)
     SELECT ${recordColumns} FROM up JOIN records r ON r.id = up.id`,
    [seq],
  )
}
