// Exchanges changes between the copies of one mirror, each in a process of its host: captures the changes of
// some work in this copy and undoes them, and applies changes that the host's database has committed. It uses
// temporary tables and triggers, which are not in the file. A relation is a table; the host's database has the shared
// ones, with the rows that match `sharedWhere`.
// Invariant: after `run` the copy is the same as before, unless the work changed no shared table. After
// `applyChanges` the copy is the same as if its own engine had made the changes.
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import type { BookStore } from '../book-store.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import { quoted, type MirrorRelation, type RelationChange, relations } from './relation.ts'

export interface Captured<Result> {
  readonly result: Result
  /**
   * The changes to commit in the host's database and then apply. Empty: the work changed no shared table, and is
   * committed.
   */
  readonly changes: readonly RelationChange[]
}

export interface Capture {
  /** Runs `work` in a transaction, and undoes it when it changed a shared table. */
  run<Result>(work: () => Result): Captured<Result>
  /** Runs `work` in a transaction and commits it, without capturing its changes. */
  runWithoutCapture(work: () => void): void
}

/** Watches the tables of `db`, which must be migrated. */
export function createCapture(db: SqlDatabase): Capture {
  // `dirty` has the keys of changed rows, as JSON lists; a row in `capture_paused` turns the triggers off.
  db.exec(`CREATE TEMP TABLE dirty (relation TEXT, key TEXT, PRIMARY KEY (relation, key)) WITHOUT ROWID;
    CREATE TEMP TABLE capture_paused (n INTEGER PRIMARY KEY)`)
  for (const relation of relations) for (const trigger of triggersOf(relation)) db.exec(trigger)

  const changeOf = (relation: MirrorRelation): RelationChange => {
    const { name, key, columns } = relation
    const keysEqual = key
      .map((column, i) => `t.${quoted(column)} = json_extract(d.key, '$[${i}]')`)
      .join(' AND ')
    const selected = Object.keys(columns).map((column) => `t.${quoted(column)}`)
    const upsertedRows = db.all(
      `SELECT ${selected.join(', ')} FROM dirty d JOIN ${name} t ON ${keysEqual} WHERE d.relation = '${name}'`,
    )
    const removed = db.all<SqlRow & { readonly key: string }>(
      `SELECT d.key FROM dirty d WHERE d.relation = '${name}' AND NOT EXISTS (SELECT 1 FROM ${name} t WHERE ${keysEqual})`,
    )
    return {
      relation,
      upsertedRows,
      removedKeys: removed.map(({ key }) => JSON.parse(key) as SqlValue[]),
    }
  }

  const readChanges = (): RelationChange[] => {
    const names = new Set(
      db.all<{ relation: string }>('SELECT DISTINCT relation FROM dirty').map((row) => row.relation),
    )
    return relations.filter(({ name }) => names.has(name)).map(changeOf)
  }

  return {
    run<Result>(work: () => Result) {
      let captured: Captured<Result> | undefined
      try {
        db.transaction(() => {
          const result = work()
          const changes = readChanges()
          // The host's database commits these first, and `applyChanges` repeats them here.
          if (changes.some(({ relation }) => relation.shared)) {
            captured = { result, changes }
            throw rollbackSignal
          }
          db.run('DELETE FROM dirty')
          captured = { result, changes: [] }
        })
      } catch (error) {
        if (error !== rollbackSignal) throw error
      }
      return captured as Captured<Result>
    },
    runWithoutCapture(work) {
      db.transaction(() => {
        db.run('INSERT INTO capture_paused (n) VALUES (1)')
        work()
        db.run('DELETE FROM capture_paused')
        db.run('DELETE FROM dirty')
      })
    },
  }
}

/** Thrown to undo the transaction of `run`. */
const rollbackSignal = new Error('undone on purpose')

/**
 * The triggers that note changed rows. Not `INSERT OR IGNORE`: an upsert overrides the conflict clause of its
 * triggers.
 */
function triggersOf({ name, key, sharedWhere }: MirrorRelation): string[] {
  const triggerFor = (event: 'INSERT' | 'UPDATE' | 'DELETE', row: 'NEW' | 'OLD') => {
    const keyText = key.map((column) => `${row}.${quoted(column)}`).join(', ')
    const rowCondition = sharedWhere ? ` AND (${sharedWhere.replaceAll('row.', `${row}.`)})` : ''
    return `CREATE TEMP TRIGGER note_${name}_${event} AFTER ${event} ON main.${name}
      WHEN NOT EXISTS (SELECT 1 FROM capture_paused)${rowCondition}
      BEGIN INSERT INTO dirty (relation, key) SELECT '${name}', json_array(${keyText})
        WHERE NOT EXISTS (SELECT 1 FROM dirty WHERE relation = '${name}' AND key = json_array(${keyText})); END`
  }
  return [triggerFor('INSERT', 'NEW'), triggerFor('UPDATE', 'NEW'), triggerFor('DELETE', 'OLD')]
}

/** Applies committed changes, and marks their derived rows as stale. Call it inside a transaction of `store.db`. */
export function applyChanges(store: BookStore, changes: readonly RelationChange[]): void {
  const { db } = store
  for (const { relation, removedKeys } of changes) {
    if (relation.name === 'records') removeRecords(store, removedKeys)
    else for (const key of removedKeys) removeRow(db, relation, key)
  }
  for (const { relation, upsertedRows } of changes) {
    const upsert = upsertSql(relation)
    const columns = Object.keys(relation.columns)
    const isRecord = relation.name === 'records'
    for (const row of upsertedRows) {
      const before = isRecord ? readRow(store, Number(row['seq'])) : undefined
      if (isRecord) markStale(store, row)
      db.run(
        upsert,
        columns.map((column) => row[column] ?? null),
      )
      if (isRecord) linkSources(store, Number(row['seq']), before)
    }
  }
  if (changes.some(({ relation }) => relation.name === 'book')) store.settings.clearCache()
  store.records.refreshLastSeq()
}

function markStale({ db, projection, stamps }: BookStore, { seq, stamp, deleted }: SqlRow): void {
  stamps.see(String(stamp))
  // The record may be new here or not: mark both.
  projection.markNew()
  projection.markStale(Number(seq))
  if (deleted === 1) {
    db.run('DELETE FROM uses WHERE seq = ?', [seq ?? 0])
    db.run('DELETE FROM vectors WHERE seq = ?', [seq ?? 0])
  }
}

function readRow({ db }: BookStore, seq: number): RecordRow | undefined {
  return db.get<RecordRow>(`SELECT ${recordColumns} FROM records r WHERE r.seq = ?`, [seq])
}

/** Links the record to its sources, which each copy does itself. The consequences come with the changes. */
function linkSources(store: BookStore, seq: number, before: RecordRow | undefined): void {
  const row = readRow(store, seq)
  if (row) store.sources.updateLinks(row, before, 'replica')
}

/** Removes records, after their derived rows, which can't be removed without the record. */
function removeRecords({ db, projection, sources }: BookStore, keys: RelationChange['removedKeys']): void {
  if (keys.length === 0) return
  for (const [seq = 0] of keys) {
    db.run("UPDATE records SET deleted = 1, body = '{}' WHERE seq = ?", [seq])
    projection.markStale(Number(seq))
  }
  projection.catchUpInTransaction()
  for (const [seq = 0] of keys) {
    db.run('DELETE FROM records WHERE seq = ?', [seq])
    sources.removeLinks(Number(seq))
  }
}

function removeRow(db: SqlDatabase, { name, key }: MirrorRelation, values: readonly SqlValue[]): void {
  db.run(`DELETE FROM ${name} WHERE ${key.map((column) => `${quoted(column)} = ?`).join(' AND ')}`, values)
}

/** The upsert of each table, which never changes. */
const upserts = new Map<string, string>()

function upsertSql({ name, key, columns }: MirrorRelation): string {
  const cached = upserts.get(name)
  if (cached) return cached
  const names = Object.keys(columns)
  const updatedColumns = names.filter((column) => !key.includes(column))
  const text = `INSERT INTO ${name} (${names.map(quoted).join(', ')}) VALUES (${names.map(() => '?').join(', ')})
    ON CONFLICT (${key.map(quoted).join(', ')})
    DO UPDATE SET ${updatedColumns.map((column) => `${quoted(column)} = excluded.${quoted(column)}`).join(', ')}`
  upserts.set(name, text)
  return text
}
