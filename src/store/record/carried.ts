// SQL conditions over `records r` for the records that a sync may carry to a guest: those of the kinds that it may fetch, and marks
// of records or tombstones of such kinds.
// Invariant: the id of a mark names the marked record, also when the mark is sealed or forgotten; the mark of a missing record is
// carried to the owner alone.
import { markId, markName } from '../../core/mark.ts'
import type { SqlValue } from '../../core/ports.ts'

const prefix = markId('')
/** Mark ids escape `:` alone. A mark id with `:::` names no record. */
const markedId = `replace(substr(r.id, ${prefix.length + 1}), ':3a:', ':')`
const marked = `FROM records t WHERE r.id GLOB '${prefix}*' AND r.id NOT GLOB '*:::*' AND t.id = ${markedId} AND t.kind <> '${markName}'`

export const isMark = `r.kind = '${markName}'`

/** All marks, by their range of ids. */
export const marksRange = `r.id >= '${prefix}' AND r.id < '${prefix.slice(0, -1)};' AND ${isMark}`

/** The kind of the marked record; null when it is missing, and for any other record. */
export const markedKind = `iif(${isMark}, (SELECT t.kind ${marked}), NULL)`

/** True for a mark of a record of these kinds. */
export const isOfCarried = `EXISTS (SELECT 1 ${marked} AND t.kind IN (SELECT value FROM json_each(?)))`

/** True for any other record, and for a mark of a record of `kinds`. Without `kinds` always true. */
export function carriedSql(kinds: readonly string[] | undefined): { sql: string; params: SqlValue[] } {
  return kinds
    ? { sql: `(NOT ${isMark} OR ${isOfCarried})`, params: [JSON.stringify(kinds)] }
    : { sql: '1', params: [] }
}
