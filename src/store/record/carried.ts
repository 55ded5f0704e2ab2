// What of the records of a mirror a sync may carry to a guest, as SQL over `records r`: those of the kinds that the guest may fetch,
// and a mark only where the record that it is of, or the tombstone of that, is of such a kind.
// Invariant: which record that is follows from the id of the mark, so that it is known of a sealed mark and of one that is forgotten;
// and a mark of what is not here is the owner's alone.
import { markId, markName } from '../../core/mark/mark-id.ts'
import type { SqlValue } from '../../core/ports.ts'

const prefix = markId('')
/** Of what letters of an id stand for, `:` alone is written otherwise. The id of no mark tells a record where it has `:::`. */
const markedId = `replace(substr(r.id, ${prefix.length + 1}), ':3a:', ':')`
const marked = `FROM records t WHERE r.id GLOB '${prefix}*' AND r.id NOT GLOB '*:::*' AND t.id = ${markedId} AND t.kind <> '${markName}'`

export const isMark = `r.kind = '${markName}'`

/** All marks, as a range of ids. */
export const marksRange = `r.id >= '${prefix}' AND r.id < '${prefix.slice(0, -1)};' AND ${isMark}`

/** The kind of the record that a mark is of; null for none, and for what is no mark. */
export const markedKind = `iif(${isMark}, (SELECT t.kind ${marked}), NULL)`

/** That a mark is of a record of these kinds. */
export const isOfCarried = `EXISTS (SELECT 1 ${marked} AND t.kind IN (SELECT value FROM json_each(?)))`

/** That a record is no mark, or of a record of `kinds`; without `kinds`, of all there are, nothing is asked. */
export function carriedSql(kinds: readonly string[] | undefined): { sql: string; params: SqlValue[] } {
  return kinds
    ? { sql: `(NOT ${isMark} OR ${isOfCarried})`, params: [JSON.stringify(kinds)] }
    : { sql: '1', params: [] }
}
