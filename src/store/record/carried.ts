// SQL conditions over `records r` for the records that a sync may send to a guest: those of the kinds that it may
// fetch, and marks of records or tombstones of such kinds. The id of a mark contains the id of the marked record, so
// these conditions need no body.
// Invariant: only the owner gets the mark of a missing record.
import { markId, markName } from '../../core/mark.ts'
import type { SqlValue } from '../../core/ports.ts'

const markIdPrefix = markId('')
/** The id of the marked record: mark ids escape only `:`. A long one is cut, has `:::`, names no record. */
const markedIdSql = `replace(substr(r.id, ${markIdPrefix.length + 1}), ':3a:', ':')`
const fromMarkedRecordSql = `FROM records t WHERE r.id GLOB '${markIdPrefix}*' AND r.id NOT GLOB '*:::*' AND t.id = ${markedIdSql} AND t.kind <> '${markName}'`

export const isMarkSql = `r.kind = '${markName}'`

/** All marks, by their range of ids. */
export const allMarksSql = `r.id >= '${markIdPrefix}' AND r.id < '${markIdPrefix.slice(0, -1)};' AND ${isMarkSql}`

/** The kind of the marked record; null when the record is missing, and for a record that is no mark. */
export const markedKindSql = `iif(${isMarkSql}, (SELECT t.kind ${fromMarkedRecordSql}), NULL)`

/** True for a mark of a record of the kinds in the parameter, a JSON list. */
export const isMarkOfFetchableSql = `EXISTS (SELECT 1 ${fromMarkedRecordSql} AND t.kind IN (SELECT value FROM json_each(?)))`

/** True for a record that is no mark, and for a mark of a record of `kinds`. Without `kinds` always true. */
export function fetchableSql(kinds: readonly string[] | undefined): { sql: string; params: SqlValue[] } {
  return kinds
    ? { sql: `(NOT ${isMarkSql} OR ${isMarkOfFetchableSql})`, params: [JSON.stringify(kinds)] }
    : { sql: '1', params: [] }
}
