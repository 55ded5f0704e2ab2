// Takes what is final into the copy of a book, wherever it was written, and marks what is derived from it as behind.
// Invariant: afterwards the copy is as if the engine had written it here.
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import type { BookStore } from '../book-store.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import { type Change, quoted, type Relation } from './relation.ts'

/** Inside a transaction of `store.db`. */
export function takeIn(store: BookStore, changes: readonly Change[]): void {
  const { db } = store
  for (const { relation, gone } of changes) {
    if (relation.name === 'records') removeRecords(store, gone)
    else for (const key of gone) remove(db, relation, key)
  }
  for (const { relation, put } of changes) {
    const upsert = upsertOf(relation)
    const columns = Object.keys(relation.columns)
    const isRecord = relation.name === 'records'
    for (const row of put) {
      const before = isRecord ? rowAt(store, Number(row['seq'])) : undefined
      if (isRecord) markBehind(store, row)
      db.run(
        upsert,
        columns.map((column) => row[column] ?? null),
      )
      if (isRecord) noteSources(store, Number(row['seq']), before)
    }
  }
  if (changes.some(({ relation }) => relation.name === 'book')) store.settings.forget()
  store.records.renumber()
}

function markBehind({ db, projection, stamps }: BookStore, { seq, stamp, deleted }: SqlRow): void {
  stamps.see(String(stamp))
  projection.markGrown()
  projection.markStale(Number(seq))
  if (deleted === 1) {
    db.run('DELETE FROM uses WHERE seq = ?', [seq ?? 0])
    db.run('DELETE FROM vectors WHERE seq = ?', [seq ?? 0])
  }
}

function rowAt({ db }: BookStore, seq: number): RecordRow | undefined {
  return db.get<RecordRow>(`SELECT ${recordColumns} FROM records r WHERE r.seq = ?`, [seq])
}

/** What was made from what each copy finds out for itself; what follows from it has come with it. */
function noteSources(store: BookStore, seq: number, before: RecordRow | undefined): void {
  const row = rowAt(store, seq)
  if (row) store.sources.written(row, before, 'taken')
}

/** What was derived from a record goes first, while it is there to say so. */
function removeRecords({ db, projection, sources }: BookStore, keys: Change['gone']): void {
  if (keys.length === 0) return
  for (const [seq = 0] of keys) {
    db.run("UPDATE records SET deleted = 1, body = '{}' WHERE seq = ?", [seq])
    projection.markStale(Number(seq))
  }
  projection.catchUpWithin()
  for (const [seq = 0] of keys) {
    db.run('DELETE FROM records WHERE seq = ?', [seq])
    sources.removed(Number(seq))
  }
}

function remove(db: SqlDatabase, { name, key }: Relation, values: readonly SqlValue[]): void {
  db.run(`DELETE FROM ${name} WHERE ${key.map((column) => `${quoted(column)} = ?`).join(' AND ')}`, values)
}

const upserts = new Map<string, string>()

function upsertOf({ name, key, columns }: Relation): string {
  const known = upserts.get(name)
  if (known) return known
  const names = Object.keys(columns)
  const others = names.filter((column) => !key.includes(column))
  const text = `INSERT INTO ${name} (${names.map(quoted).join(', ')}) VALUES (${names.map(() => '?').join(', ')})
    ON CONFLICT (${key.map(quoted).join(', ')})
    DO UPDATE SET ${others.map((column) => `${quoted(column)} = excluded.${quoted(column)}`).join(', ')}`
  upserts.set(name, text)
  return text
}
