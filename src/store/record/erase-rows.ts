// Erases texts from the pages of a database.
// Invariant: on a host that leaves deleted bytes in the page (a Durable Object has no `secure_delete`), zeros of the
// same length overwrite the text first. SQLite writes a row of unchanged length in place.
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'

/** Rows of a table, and their columns with text. */
export interface TextRows {
  readonly table: string
  readonly columns: readonly string[]
  /** The condition of the rows. It must not read `columns`: it runs again after they are zeros. */
  readonly where: string
}

type WritableDb = Pick<SqlDatabase, 'run' | 'keepsDeleted'>
type ReadableDb = WritableDb & Pick<SqlDatabase, 'all'>

/**
 * Overwrites the columns with zeros where the host needs it. The caller then deletes or writes the rows in the same
 * transaction.
 */
export function overwriteText(
  db: WritableDb,
  { table, columns, where }: TextRows,
  params: readonly SqlValue[],
): void {
  if (db.keepsDeleted !== true) return
  const zeros = columns.map((name) => `${name} = zeroblob(length(CAST(${name} AS BLOB)))`)
  db.run(`UPDATE ${table} SET ${zeros.join(', ')} WHERE ${where}`, params)
}

/** Deletes rows, also from the pages. Call it inside a transaction. */
export function eraseRows(db: WritableDb, rows: TextRows, params: readonly SqlValue[] = []): void {
  overwriteText(db, rows, params)
  db.run(`DELETE FROM ${rows.table} WHERE ${rows.where}`, params)
}

const sideBodies = ['loser_body', 'winner_body', 'base_body']
const sideColumns = [...sideBodies, 'loser_head', 'winner_head']

/** Rows of one record in other tables. The parameter is the number or the id of the record. */
export const historyOfRecord: TextRows = { table: 'history', columns: ['body'], where: 'seq = ?' }
export const conflictsOfRecord: TextRows = { table: 'conflicts', columns: sideColumns, where: 'record = ?' }
export const conflictBodies: TextRows = { ...conflictsOfRecord, columns: sideBodies }
export const vectorOfRecord: TextRows = { table: 'vectors', columns: ['numbers'], where: 'seq = ?' }
export const stagedOfRecord: TextRows = { table: 'staged', columns: ['text'], where: 'id = ?' }
export const stagedOfUpload: TextRows = { ...stagedOfRecord, where: 'upload = ?' }
/** The book's own embedding model, learned from all texts. */
export const modelParts: TextRows = { table: 'model_parts', columns: ['terms', 'numbers'], where: 'true' }
/** The rows of `table` whose column `key` is in a JSON list, the only parameter. */
const rowsWithKeys = (table: string, key: string, columns: readonly string[]): TextRows => ({
  table,
  columns,
  where: `${key} IN (SELECT value FROM json_each(?))`,
})

/** Removes the rows of the forgotten record at `seq` in other tables: history, uses, vector. */
export function eraseTraces(db: WritableDb, seq: number): void {
  eraseRows(db, historyOfRecord, [seq])
  db.run('DELETE FROM uses WHERE seq = ?', [seq])
  // A vector reveals much of its text.
  eraseRows(db, vectorOfRecord, [seq])
}

/** Erases the rows of `table` whose `key` the query `sql` selects. */
function eraseSelected(db: ReadableDb, rows: TextRows, sql: string, params: readonly SqlValue[]): void {
  const found = db.all<{ key: SqlValue }>(sql, params).map(({ key }) => key)
  if (found.length > 0) eraseRows(db, rows, [JSON.stringify(found)])
}

const answerRows = rowsWithKeys('applied_requests', 'request', ['result'])
const taskRow: TextRows = { table: 'tasks', columns: ['input', 'result', 'error_message'], where: 'n = ?' }
const conflictEntries = rowsWithKeys('conflicts', 'id', sideColumns)
const isClearSql = (column: string) => `substr(coalesce(${column}, ''), 1, 1) = '{'`

/** Records to erase from stored answers and tasks, collected so that both are scanned once. */
interface EraseBatch {
  /** Ids of records that stored answers must not contain. */
  readonly answers: Set<string>
  /** Records whose marks must be erased from stored answers. */
  readonly marks: Set<string>
  /** The name of each record, by id. */
  readonly taskInputs: Map<string, string>
}
/** The running batch of each database. All parts of a store share one database object. */
const batches = new WeakMap<object, EraseBatch>()

/**
 * Runs `work`, then scans stored answers and tasks once for all records that `work` erased. Call it inside a
 * transaction.
 */
export function eraseInBatch<Result>(db: ReadableDb, work: () => Result): Result {
  const outer = batches.get(db)
  const batch: EraseBatch = { answers: new Set(), marks: new Set(), taskInputs: new Map() }
  batches.set(db, batch)
  try {
    const result = work()
    if (batch.answers.size > 0) eraseAnswersOf(db, [...batch.answers])
    if (batch.marks.size > 0) eraseAnswersOf(db, [...batch.marks], quotesMarks)
    if (batch.taskInputs.size > 0) eraseTaskInputsOf(db, [...batch.taskInputs])
    return result
  } finally {
    if (outer) batches.set(db, outer)
    else batches.delete(db)
  }
}

interface SealedAnswer extends SqlRow {
  readonly request: string
  readonly input: string
  readonly result: string
}
/** Opens a sealed answer: its JSON text, undefined without its key. */
type OpenAnswer = (answer: SealedAnswer) => string | undefined
const answerOpeners = new WeakMap<object, OpenAnswer>()

/** Sets how the sealed answers of a database are opened, to find the records in them. */
export function openAnswersWith(db: ReadableDb, open: OpenAnswer): void {
  answerOpeners.set(db, open)
}

/**
 * Erases stored answers that contain the id of a record, since they may quote it, and sealed ones that can't be opened
 * here. Of done tasks whose result contains the id, it erases input and result. These tasks stay done, so they do not
 * run again.
 */
export function eraseAnswers(db: ReadableDb, id: string): void {
  const batch = batches.get(db)
  if (batch) batch.answers.add(id)
  else eraseAnswersOf(db, [id])
}

/** Like `eraseAnswers`, but only answers that contain marks. */
export function eraseMarkAnswers(db: ReadableDb, id: string): void {
  const batch = batches.get(db)
  if (batch) batch.marks.add(id)
  else eraseAnswersOf(db, [id], quotesMarks)
}

/** SQL: the answer in `result` is a record with marks. */
const quotesMarks = "CASE WHEN json_valid(result) THEN json_type(result, '$.marks') = 'object' END"

const noCondition = 'true'

/** `condition`: SQL over the stored answer; default all. */
function eraseAnswersOf(db: ReadableDb, ids: readonly string[], condition = noCondition): void {
  const { sql: containsIds, params } = containsIdsSql(ids, 'result')
  const where = `${condition} AND ${containsIds}`
  const inClear = db.all<{ request: string }>(`SELECT request FROM applied_requests WHERE ${where}`, params)
  const found = [...inClear, ...findSealedAnswers(db, ids, condition)]
  if (found.length > 0) {
    const requests = [JSON.stringify(found.map(({ request }) => request))]
    overwriteText(db, answerRows, requests)
    // Keep the request: if it ran again, it would store the erased content again.
    db.run(`UPDATE applied_requests SET input = '', result = '' WHERE ${answerRows.where}`, requests)
  }
  const done = `SELECT n FROM tasks WHERE state = 'done' AND ${where}`
  for (const { n } of db.all<{ n: number }>(done, params)) {
    overwriteText(db, taskRow, [n])
    db.run("UPDATE tasks SET input = 'null', result = NULL, error_message = NULL WHERE n = ?", [n])
  }
}

/**
 * The sealed answers that contain one of the ids and fulfil the condition, and those that can't be opened. A list in
 * `input` has the ids of records in the answer. Only an answer of an earlier Daybook is without the list: open it.
 */
function findSealedAnswers(db: ReadableDb, ids: readonly string[], condition: string): SealedAnswer[] {
  const open = answerOpeners.get(db)
  const listed = containsIdsSql(ids, 'input')
  const candidates = `SELECT request, input, result FROM applied_requests WHERE substr(result, 1, 11) = '["A256GCM",'
    AND CASE WHEN substr(input, 1, 1) = '[' THEN ${listed.sql} ELSE true END`
  const inside = containsIdsSql(ids, 'result')
  return db.all<SealedAnswer>(candidates, listed.params).filter((answer) => {
    const { sql, params } = answer.input.startsWith('[') ? { sql: noCondition, params: [] } : inside
    if (sql === condition) return true
    const text = open?.(answer)
    const matches = `SELECT 1 FROM (SELECT ? AS result) WHERE ${condition} AND ${sql}`
    return text === undefined || db.all(matches, [text, ...params]).length > 0
  })
}

/** The SQL condition that `column` contains one of the ids. For several ids it parses each text once. */
function containsIdsSql(
  [id = '', ...otherIds]: readonly string[],
  column: 'result' | 'input',
): { sql: string; params: string[] } {
  if (otherIds.length === 0) return { sql: `instr(${column}, ?) > 0`, params: [JSON.stringify(id)] }
  const ids = JSON.stringify([id, ...otherIds])
  const isNamed = (part: string) => `j.${part} IN (SELECT value FROM json_each(?))`
  return {
    sql: `CASE WHEN json_valid(${column}) THEN
      EXISTS (SELECT 1 FROM json_tree(${column}) j WHERE ${isNamed('atom')} OR ${isNamed('key')}) END`,
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
 * Erases the input of each task whose input has the id or name of the record, and also a text that is no id:
 * the text may quote the record, or the task would write it again. A done task stays done, a waiting one
 * becomes dead, and a running attempt continues without a retry. Deletes each schedule with such an input.
 */
export function eraseTaskInputs(
  db: ReadableDb & Pick<SqlDatabase, 'get'>,
  { id, seq }: { readonly id: string; readonly seq: number },
): void {
  const name = db.get<{ name: string | null }>('SELECT name FROM facets WHERE seq = ?', [seq])?.name ?? id
  eraseTaskInputsNaming(db, id, name)
}

/** `eraseTaskInputs` for a record whose name the caller knows. `name`: the id when the record has no name. */
export function eraseTaskInputsNaming(db: ReadableDb, id: string, name: string): void {
  const batch = batches.get(db)
  if (batch) batch.taskInputs.set(id, name)
  else eraseTaskInputsOf(db, [[id, name]])
}

type IdsAndNames = readonly (readonly [id: string, name: string])[]

function eraseTaskInputsOf(db: ReadableDb, named: IdsAndNames): void {
  // Skip done tasks without the id or the name: most have neither.
  const searchedTexts = named.length > 1 ? [] : named.flat().map((text) => JSON.stringify(text))
  const mayContain =
    searchedTexts.length > 0 ? "WHERE state <> 'done' OR instr(input, ?) > 0 OR instr(input, ?) > 0" : ''
  for (const { key } of rowsQuoting(
    db,
    `SELECT n AS key, input FROM tasks ${mayContain}`,
    named,
    searchedTexts,
  )) {
    overwriteText(db, taskRow, [key])
    db.run(
      `UPDATE tasks SET input = 'null', result = NULL, state = CASE WHEN state IN ('running', 'done') THEN state ELSE 'dead' END,
        error_code = CASE state WHEN 'done' THEN NULL ELSE ? END, error_message = CASE state WHEN 'done' THEN NULL ELSE ? END WHERE n = ?`,
      [inputErased.code, inputErased.message, key],
    )
  }
  const scheduleInputs = `SELECT key, json_extract(value, '$.input') AS input FROM book WHERE key >= 'schedule:' AND key < 'schedule;'
    AND json_type(value, '$.input') IN ('object', 'array')`
  for (const { key } of rowsQuoting(db, scheduleInputs, named))
    eraseRows(db, { table: 'book', columns: ['value'], where: 'key = ?' }, [key])
}

/**
 * The rows of `sql` whose `input` names a record, and also has a text that is no id. It names one by an id,
 * or by a name in a field `id` or `msg_id`. An input with ids only quotes nothing.
 */
function rowsQuoting(
  db: Pick<SqlDatabase, 'all'>,
  sql: string,
  named: IdsAndNames,
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
export const eraseClearConflicts = (db: ReadableDb, id: string): void =>
  eraseSelected(
    db,
    conflictEntries,
    `SELECT id AS key FROM conflicts WHERE record = ? AND (${sideBodies.map(isClearSql).join(' OR ')})`,
    [id],
  )

/** Erases the earlier versions of the record at `seq` that are in clear. */
export function eraseClearVersions(db: ReadableDb, seq: number): void {
  const versions: TextRows = { table: 'history', columns: ['body'], where: 'seq = ? AND version = ?' }
  for (const { version } of clearVersions(db, seq)) eraseRows(db, versions, [seq, version])
}

/** The earlier versions of the record at `seq` that are in clear. */
export const clearVersions = (db: Pick<SqlDatabase, 'all'>, seq: number) =>
  db.all<{ version: number; body: string }>(
    `SELECT version, body FROM history WHERE seq = ? AND op = 'put' AND ${isClearSql('body')}`,
    [seq],
  )
