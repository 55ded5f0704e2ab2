// Takes texts out of the pages of a database. Invariant: where the host lets deleted bytes stay where they stood (a Durable
// Object takes no `secure_delete`), zeros of the same length are written first: SQLite writes a row that stays as long as it
// was where it stands.
import type { SqlDatabase, SqlValue } from '../../core/ports.ts'

/** The rows of `table` for which `where` is true, and those of their columns that may hold text. */
export interface TextRows {
  readonly table: string
  readonly columns: readonly string[]
  /** Asks for nothing that those columns say: it is asked again once they are zeros. */
  readonly where: string
}

type Erasing = Pick<SqlDatabase, 'run' | 'keepsDeleted'>
type Asking = Erasing & Pick<SqlDatabase, 'all'>

/** Leaves nothing of what the columns of those rows say. They are to be deleted or written next, in the same transaction. */
export function writeOver(
  db: Erasing,
  { table, columns, where }: TextRows,
  params: readonly SqlValue[],
): void {
  if (db.keepsDeleted !== true) return
  const zeros = columns.map((name) => `${name} = zeroblob(length(CAST(${name} AS BLOB)))`)
  db.run(`UPDATE ${table} SET ${zeros.join(', ')} WHERE ${where}`, params)
}

/** Deletes those rows, and what their columns say from the pages too. Inside a transaction. */
export function eraseRows(db: Erasing, rows: TextRows, params: readonly SqlValue[] = []): void {
  writeOver(db, rows, params)
  db.run(`DELETE FROM ${rows.table} WHERE ${rows.where}`, params)
}

const sides = ['lost_body', 'kept_body', 'base_body']

/** What stays of a record beside its row, each by the number or the id of the record. */
export const historyOf: TextRows = { table: 'history', columns: ['body'], where: 'seq = ?' }
export const conflictsOf: TextRows = { table: 'conflicts', columns: sides, where: 'record = ?' }
export const vectorOf: TextRows = { table: 'vectors', columns: ['numbers'], where: 'seq = ?' }
/** What of an upload in progress waits for it. */
export const stagedOf: TextRows = { table: 'staged', columns: ['text'], where: 'id = ?' }
export const stagedIn: TextRows = { ...stagedOf, where: 'upload = ?' }
/** The model that was learned from all texts. */
export const modelParts: TextRows = { table: 'model_parts', columns: ['terms', 'numbers'], where: 'true' }
/** The rows of a table by a list of what `key` is in them, in JSON. */
const listed = (table: string, key: string, columns: readonly string[]): TextRows => ({
  table,
  columns,
  where: `${key} IN (SELECT value FROM json_each(?))`,
})

/** Erases the rows of `table` whose `key` is what `sql` answers as `key`. */
function eraseFound(db: Asking, rows: TextRows, sql: string, params: readonly SqlValue[]): void {
  const found = db.all<{ key: SqlValue }>(sql, params).map(({ key }) => key)
  if (found.length > 0) eraseRows(db, rows, [JSON.stringify(found)])
}

const answers = listed('applied_requests', 'request', ['result'])
const task: TextRows = { table: 'tasks', columns: ['input', 'result', 'error_message'], where: 'n = ?' }
const entries = listed('conflicts', 'id', sides)
const isClear = (column: string) => `substr(coalesce(${column}, ''), 1, 1) = '{'`

/** What is to be erased of answers and tasks, where both are looked through once for all of it. */
interface Held {
  readonly answers: Set<string>
  /** Of these records, those that quote their marks. */
  readonly marks: Set<string>
  /** By id, the name of each record. */
  readonly pending: Map<string, string>
}
const held = new WeakMap<object, Held>()

/**
 * Runs `work`, inside a transaction. Stored answers and tasks are looked through once, at its end, for all that was erased in it:
 * thousands of records may go at once, and there may be thousands of answers.
 */
export function erasingTogether<Result>(db: Asking, work: () => Result): Result {
  const outer = held.get(db)
  const own: Held = { answers: new Set(), marks: new Set(), pending: new Map() }
  held.set(db, own)
  try {
    const result = work()
    if (own.answers.size > 0) eraseAnswersOf(db, [...own.answers])
    if (own.marks.size > 0) eraseAnswersOf(db, [...own.marks], quotesMarks)
    if (own.pending.size > 0) erasePendingOf(db, [...own.pending])
    return result
  } finally {
    if (outer) held.set(db, outer)
    else held.delete(db)
  }
}

/**
 * Erases the texts of stored answers that name the record of this id: each may quote it. So may what a task was given that answered with
 * it; that it was done stays, or it would be done again.
 */
export function eraseAnswers(db: Asking, id: string): void {
  const together = held.get(db)
  if (together) together.answers.add(id)
  else eraseAnswersOf(db, [id])
}

/** The same of the answers alone that say what the marks of the record of this id are. */
export function eraseMarkAnswers(db: Asking, id: string): void {
  const together = held.get(db)
  if (together) together.marks.add(id)
  else eraseAnswersOf(db, [id], quotesMarks)
}

const quotesMarks = "CASE WHEN json_valid(result) THEN json_type(result, '$.marks') = 'object' END"

function eraseAnswersOf(db: Asking, ids: readonly string[], only = 'true'): void {
  const { names: isNamed, params } = naming(ids)
  const names = `${only} AND ${isNamed}`
  const found = db.all<{ key: SqlValue }>(
    `SELECT request AS key FROM applied_requests WHERE ${names}`,
    params,
  )
  if (found.length > 0) {
    const requests = [JSON.stringify(found.map(({ key }) => key))]
    writeOver(db, answers, requests)
    // That it was carried out stays: repeated, it would store again what was to be gone.
    db.run(`UPDATE applied_requests SET input = '', result = '' WHERE ${answers.where}`, requests)
  }
  const done = `SELECT n FROM tasks WHERE state = 'done' AND ${names}`
  for (const { n } of db.all<{ n: number }>(done, params)) {
    writeOver(db, task, [n])
    db.run("UPDATE tasks SET input = 'null', result = NULL, error_message = NULL WHERE n = ?", [n])
  }
}

/** A condition that `result` has one of the ids: of many by its values, so that each text is read once. */
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

/** In place of the error of a task whose input was taken out: the code says that no repetition mends it. */
const takenOut = {
  code: 'not-found',
  message:
    'A record that it was given was purged, and with it what the task was given. Add it again without that.',
} as const

/**
 * Empties every task, and every round to come, which was given the record of this id and more than ids: that may quote it, or would
 * write it again. One that is done stays done; a task that waits is dead then, a try that runs goes on and has no other one after it.
 */
export function erasePending(
  db: Asking & Pick<SqlDatabase, 'get'>,
  { id, seq }: { readonly id: string; readonly seq: number },
): void {
  const name = db.get<{ name: string | null }>('SELECT name FROM facets WHERE seq = ?', [seq])?.name ?? id
  erasePendingNamed(db, id, name)
}

/** The same where its name is known, or where it has none. */
export function erasePendingNamed(db: Asking, id: string, name: string): void {
  const together = held.get(db)
  if (together) together.pending.set(id, name)
  else erasePendingOf(db, [[id, name]])
}

type Named = readonly (readonly [id: string, name: string])[]

function erasePendingOf(db: Asking, named: Named): void {
  // There may be many that are done: few of them name it.
  const few = named.length > 1 ? [] : named.flat().map((one) => JSON.stringify(one))
  const isFew = few.length > 0 ? "WHERE state <> 'done' OR instr(input, ?) > 0 OR instr(input, ?) > 0" : ''
  for (const { key } of quoting(db, `SELECT n AS key, input FROM tasks ${isFew}`, named, few)) {
    writeOver(db, task, [key])
    db.run(
      `UPDATE tasks SET input = 'null', result = NULL, state = CASE WHEN state IN ('running', 'done') THEN state ELSE 'dead' END,
        error_code = CASE state WHEN 'done' THEN NULL ELSE ? END, error_message = CASE state WHEN 'done' THEN NULL ELSE ? END WHERE n = ?`,
      [takenOut.code, takenOut.message, key],
    )
  }
  const rounds = `SELECT key, json_extract(value, '$.input') AS input FROM book WHERE key >= 'schedule:' AND key < 'schedule;'
    AND json_type(value, '$.input') IN ('object', 'array')`
  for (const { key } of quoting(db, rounds, named))
    eraseRows(db, { table: 'book', columns: ['value'], where: 'key = ?' }, [key])
}

/**
 * The rows of `sql` whose input has one of the ids, or as an `id` the name of such a record, beside a text that is the id of no
 * record: what has nothing but ids quotes nothing.
 */
function quoting(
  db: Pick<SqlDatabase, 'all'>,
  sql: string,
  named: Named,
  given: readonly SqlValue[] = [],
): { readonly key: SqlValue }[] {
  const ids = JSON.stringify(named.map(([id]) => id))
  const names = JSON.stringify(named.map(([, name]) => name))
  const among = 'IN (SELECT value FROM json_each(?))'
  return db.all<{ key: SqlValue }>(
    `SELECT t.key FROM (${sql}) t
     WHERE EXISTS (SELECT 1 FROM json_tree(t.input) j WHERE j.atom ${among} OR (j.atom ${among} AND j.key IN ('id', 'msg_id')))
     AND EXISTS (SELECT 1 FROM json_tree(t.input) j WHERE j.type = 'text' AND j.atom NOT ${among}
       AND NOT EXISTS (SELECT 1 FROM records r WHERE r.id = j.atom))`,
    [...given, ids, names, names],
  )
}

/** Erases the entries of the conflict log about the record of this id that say something in clear. */
export const eraseClearConflicts = (db: Asking, id: string): void =>
  eraseFound(
    db,
    entries,
    `SELECT id AS key FROM conflicts WHERE record = ? AND (${sides.map(isClear).join(' OR ')})`,
    [id],
  )

/** Erases the earlier versions of the record of this number that are in clear. */
export function eraseClearVersions(db: Asking, seq: number): void {
  const versions: TextRows = { table: 'history', columns: ['body'], where: 'seq = ? AND version = ?' }
  for (const { version } of clearVersions(db, seq)) eraseRows(db, versions, [seq, version])
}

export const clearVersions = (db: Pick<SqlDatabase, 'all'>, seq: number) =>
  db.all<{ version: number; body: string }>(
    `SELECT version, body FROM history WHERE seq = ? AND op = 'put' AND ${isClear('body')}`,
    [seq],
  )
