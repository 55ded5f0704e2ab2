// Erases texts from the pages of a database.
// Invariant: on a host that leaves deleted bytes in the page (a Durable Object has no `secure_delete`), zeros of the
// same length overwrite the text first. SQLite writes a row of unchanged length in place.
import type { SqlDatabase, SqlValue } from '../../core/ports.ts'

/** Rows of a table, and their columns with text. */
export interface TextRows {
  readonly table: string
  readonly columns: readonly string[]
  /** The condition of the rows. It must not read `columns`: it runs again after they are zeros. */
  readonly where: string
}

type Writing = Pick<SqlDatabase, 'run' | 'keepsDeleted'>
type Reading = Writing & Pick<SqlDatabase, 'all'>

/**
 * Overwrites the columns with zeros where the host needs it. The caller then deletes or writes the rows in the same
 * transaction.
 */
export function writeOver(
  db: Writing,
  { table, columns, where }: TextRows,
  params: readonly SqlValue[],
): void {
  if (db.keepsDeleted !== true) return
  const zeros = columns.map((name) => `${name} = zeroblob(length(CAST(${name} AS BLOB)))`)
  db.run(`UPDATE ${table} SET ${zeros.join(', ')} WHERE ${where}`, params)
}

/** Deletes rows, also from the pages. Call it inside a transaction. */
export function eraseRows(db: Writing, rows: TextRows, params: readonly SqlValue[] = []): void {
  writeOver(db, rows, params)
  db.run(`DELETE FROM ${rows.table} WHERE ${rows.where}`, params)
}

const sides = ['lost_body', 'kept_body', 'base_body']

/** Rows of one record in other tables. The parameter is the number or the id of the record. */
export const historyOf: TextRows = { table: 'history', columns: ['body'], where: 'seq = ?' }
export const conflictsOf: TextRows = { table: 'conflicts', columns: sides, where: 'record = ?' }
export const vectorOf: TextRows = { table: 'vectors', columns: ['numbers'], where: 'seq = ?' }
export const stagedOf: TextRows = { table: 'staged', columns: ['text'], where: 'id = ?' }
export const stagedIn: TextRows = { ...stagedOf, where: 'upload = ?' }
/** The book's own embedding model, learned from all texts. */
export const modelParts: TextRows = { table: 'model_parts', columns: ['terms', 'numbers'], where: 'true' }
/** The rows of `table` whose column `key` is in a JSON list, the only parameter. */
const listed = (table: string, key: string, columns: readonly string[]): TextRows => ({
  table,
  columns,
  where: `${key} IN (SELECT value FROM json_each(?))`,
})

/** Erases the rows of `table` whose `key` the query `sql` selects. */
function eraseFound(db: Reading, rows: TextRows, sql: string, params: readonly SqlValue[]): void {
  const found = db.all<{ key: SqlValue }>(sql, params).map(({ key }) => key)
  if (found.length > 0) eraseRows(db, rows, [JSON.stringify(found)])
}

const answers = listed('applied_requests', 'request', ['result'])
const task: TextRows = { table: 'tasks', columns: ['input', 'result', 'error_message'], where: 'n = ?' }
const entries = listed('conflicts', 'id', sides)
const isClear = (column: string) => `substr(coalesce(${column}, ''), 1, 1) = '{'`

/** Records to erase from stored answers and tasks, collected so that both are scanned once. */
interface Batch {
  readonly answers: Set<string>
  /** Records whose marks must be erased from stored answers. */
  readonly marks: Set<string>
  /** The name of each record, by id. */
  readonly pending: Map<string, string>
}
const batches = new WeakMap<object, Batch>()

/**
 * Runs `work`, then scans stored answers and tasks once for all records that `work` erased. Call it inside a
 * transaction.
 */
export function erasingTogether<Result>(db: Reading, work: () => Result): Result {
  const outer = batches.get(db)
  const own: Batch = { answers: new Set(), marks: new Set(), pending: new Map() }
  batches.set(db, own)
  try {
    const result = work()
    if (own.answers.size > 0) eraseAnswersOf(db, [...own.answers])
    if (own.marks.size > 0) eraseAnswersOf(db, [...own.marks], quotesMarks)
    if (own.pending.size > 0) erasePendingOf(db, [...own.pending])
    return result
  } finally {
    if (outer) batches.set(db, outer)
    else batches.delete(db)
  }
}

/**
 * Erases stored answers that contain the id of a record, since they may quote it, and the input and result of done
 * tasks whose result contains the id. The tasks stay done, so they do not run again.
 */
export function eraseAnswers(db: Reading, id: string): void {
  const batch = batches.get(db)
  if (batch) batch.answers.add(id)
  else eraseAnswersOf(db, [id])
}

/** Like `eraseAnswers`, but only answers that contain marks. */
export function eraseMarkAnswers(db: Reading, id: string): void {
  const batch = batches.get(db)
  if (batch) batch.marks.add(id)
  else eraseAnswersOf(db, [id], quotesMarks)
}

const quotesMarks = "CASE WHEN json_valid(result) THEN json_type(result, '$.marks') = 'object' END"

function eraseAnswersOf(db: Reading, ids: readonly string[], only = 'true'): void {
  const { names: isNamed, params } = naming(ids)
  const names = `${only} AND ${isNamed}`
  const found = db.all<{ key: SqlValue }>(
    `SELECT request AS key FROM applied_requests WHERE ${names}`,
    params,
  )
  if (found.length > 0) {
    const requests = [JSON.stringify(found.map(({ key }) => key))]
    writeOver(db, answers, requests)
    // Keep the request: if it ran again, it would store the erased content again.
    db.run(`UPDATE applied_requests SET input = '', result = '' WHERE ${answers.where}`, requests)
  }
  const done = `SELECT n FROM tasks WHERE state = 'done' AND ${names}`
  for (const { n } of db.all<{ n: number }>(done, params)) {
    writeOver(db, task, [n])
    db.run("UPDATE tasks SET input = 'null', result = NULL, error_message = NULL WHERE n = ?", [n])
  }
}

/** The SQL condition that `result` contains one of the ids. For several ids it parses each text once. */
function naming([id = '', ...others]: readonly string[]): { names: string; params: string[] } {
  if (others.length === 0) return { names: 'instr(result, ?) > 0', params: [JSON.stringify(id)] }
  const ids = JSON.stringify([id, ...others])
  const isNamed = (column: string) => `j.${column} IN (SELECT value FROM json_each(?))`
  return {
    names: `CASE WHEN json_valid(result) THEN
      EXISTS (SELECT 1 FROM json_tree(result) j WHERE ${isNamed('atom')} OR ${isNamed('key')}) END`,
    params: [ids, ids],
  }
}

/** The error of a task whose input was erased. A task with this code is not retried. */
const inputErased = {
  code: 'not-found',
  message:
    'A record in the input of the task was purged, so the input was erased. Add the task again without it.',
} as const

/**
 * Erases the input of each task, and deletes each schedule, whose input contains the id or name of the record and
 * any text that is no id: it may quote the record or would write it again. A done task stays done, a waiting one
 * becomes dead, and a running attempt continues without a retry.
 */
export function erasePending(
  db: Reading & Pick<SqlDatabase, 'get'>,
  { id, seq }: { readonly id: string; readonly seq: number },
): void {
  const name = db.get<{ name: string | null }>('SELECT name FROM facets WHERE seq = ?', [seq])?.name ?? id
  erasePendingNamed(db, id, name)
}

/** `erasePending` for a record whose name the caller knows. `name`: the id when the record has no name. */
export function erasePendingNamed(db: Reading, id: string, name: string): void {
  const batch = batches.get(db)
  if (batch) batch.pending.set(id, name)
  else erasePendingOf(db, [[id, name]])
}

type Named = readonly (readonly [id: string, name: string])[]

function erasePendingOf(db: Reading, named: Named): void {
  // Skip done tasks without the id or the name: most have neither.
  const few = named.length > 1 ? [] : named.flat().map((one) => JSON.stringify(one))
  const isFew = few.length > 0 ? "WHERE state <> 'done' OR instr(input, ?) > 0 OR instr(input, ?) > 0" : ''
  for (const { key } of quoting(db, `SELECT n AS key, input FROM tasks ${isFew}`, named, few)) {
    writeOver(db, task, [key])
    db.run(
      `UPDATE tasks SET input = 'null', result = NULL, state = CASE WHEN state IN ('running', 'done') THEN state ELSE 'dead' END,
        error_code = CASE state WHEN 'done' THEN NULL ELSE ? END, error_message = CASE state WHEN 'done' THEN NULL ELSE ? END WHERE n = ?`,
      [inputErased.code, inputErased.message, key],
    )
  }
  const rounds = `SELECT key, json_extract(value, '$.input') AS input FROM book WHERE key >= 'schedule:' AND key < 'schedule;'
    AND json_type(value, '$.input') IN ('object', 'array')`
  for (const { key } of quoting(db, rounds, named))
    eraseRows(db, { table: 'book', columns: ['value'], where: 'key = ?' }, [key])
}

/**
 * The rows of `sql` whose `input` contains one of the ids, or one of the names in a field `id` or `msg_id`, and also
 * a text that is no id. An input with ids only quotes nothing.
 */
function quoting(
  db: Pick<SqlDatabase, 'all'>,
  sql: string,
  named: Named,
  params: readonly SqlValue[] = [],
): { readonly key: SqlValue }[] {
  const ids = JSON.stringify(named.map(([id]) => id))
  const names = JSON.stringify(named.map(([, name]) => name))
  const among = 'IN (SELECT value FROM json_each(?))'
  return db.all<{ key: SqlValue }>(
    `SELECT t.key FROM (${sql}) t
     WHERE EXISTS (SELECT 1 FROM json_tree(t.input) j WHERE j.atom ${among} OR (j.atom ${among} AND j.key IN ('id', 'msg_id')))
     AND EXISTS (SELECT 1 FROM json_tree(t.input) j WHERE j.type = 'text' AND j.atom NOT ${among}
       AND NOT EXISTS (SELECT 1 FROM records r WHERE r.id = j.atom))`,
    [...params, ids, names, names],
  )
}

/** Erases the entries of the conflict log about the record `id` that have text in clear. */
export const eraseClearConflicts = (db: Reading, id: string): void =>
  eraseFound(
    db,
    entries,
    `SELECT id AS key FROM conflicts WHERE record = ? AND (${sides.map(isClear).join(' OR ')})`,
    [id],
  )

/** Erases the earlier versions of the record at `seq` that are in clear. */
export function eraseClearVersions(db: Reading, seq: number): void {
  const versions: TextRows = { table: 'history', columns: ['body'], where: 'seq = ? AND version = ?' }
  for (const { version } of clearVersions(db, seq)) eraseRows(db, versions, [seq, version])
}

export const clearVersions = (db: Pick<SqlDatabase, 'all'>, seq: number) =>
  db.all<{ version: number; body: string }>(
    `SELECT version, body FROM history WHERE seq = ? AND op = 'put' AND ${isClear('body')}`,
    [seq],
  )
