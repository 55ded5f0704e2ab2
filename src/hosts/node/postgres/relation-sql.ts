// PostgreSQL statements of each relation (a table of a mirror, see store/mirror/relation.ts). Rows are sent
// as one JSON text, so that a commit has few statements. Every statement names the book, although row-level
// security hides the others.
import type { SqlRow } from '../../../core/ports.ts'
import { type RelationColumnType, quoted, type MirrorRelation } from '../../../store/mirror/relation.ts'

/**
 * PostgreSQL types of values in the JSON text: `json` and `bytes` arrive as text; `valueSql` converts them.
 */
const types = { text: 'text', integer: 'bigint', json: 'text', bytes: 'text' } as const

const fieldsOf = ({ columns }: MirrorRelation, names = Object.keys(columns)) =>
  names.map((name) => `${quoted(name)} ${types[columns[name] ?? 'text']}`).join(', ')

/** $1 book, $2 commit, $3 rows; the texts for JSON parameters come from `toRemote`. */
export function upsertSql(relation: MirrorRelation): string {
  const { name, key, columns } = relation
  const names = Object.keys(columns)
  const values = names.map((column) => valueSql(`x.${quoted(column)}`, columns[column] ?? 'text'))
  const others = names.filter((column) => !key.includes(column))
  const set = ['txn', ...others.map(quoted)].map((column) => `${column} = excluded.${column}`)
  return `INSERT INTO daybook.${name} (book, txn, ${names.map(quoted).join(', ')})
    SELECT $1, $2::bigint, ${values.join(', ')} FROM json_to_recordset($3::text::json) AS x(${fieldsOf(relation)})
    ON CONFLICT (book, ${key.map(quoted).join(', ')}) DO UPDATE SET ${set.join(', ')}`
}

/** Converts a JSON value to the type of its column. */
function valueSql(value: string, type: RelationColumnType): string {
  if (type === 'bytes') return `decode(${value}, 'base64')`
  return type === 'json' ? `${value}::json` : value
}

/** $1 book, $2 keys: an array of arrays, each with the values of one key. */
export function deleteSql(relation: MirrorRelation): string {
  const { name, key, columns } = relation
  const same = key.map((column, i) => {
    const value = `(k.value->>${i})`
    return `t.${quoted(column)} = ${columns[column] === 'integer' ? `${value}::bigint` : value}`
  })
  return `DELETE FROM daybook.${name} t USING json_array_elements($2::text::json) AS k(value)
    WHERE t.book = $1 AND ${same.join(' AND ')}`
}

/** $1 book, $2 commit after which. Bodies stay text. */
export function selectSql({ name, columns }: MirrorRelation): string {
  const selected = Object.entries(columns).map(([column, type]) =>
    type === 'json' ? `${quoted(column)}::text AS ${quoted(column)}` : quoted(column),
  )
  return `SELECT ${selected.join(', ')} FROM daybook.${name} WHERE book = $1 AND txn > $2`
}

/** $1 book, $2 commit after which. */
export const deletedKeysSql = 'SELECT relation, key FROM daybook.gone WHERE book = $1 AND txn > $2'

/**
 * $1 book, $2 commit, $3 relation, $4 keys: an array of texts, each key as JSON. A key stays here after its
 * row returns: apply removals before rows.
 */
export const noteDeletedSql = `INSERT INTO daybook.gone (book, txn, relation, key)
  SELECT $1, $2::bigint, $3, k.value FROM json_array_elements_text($4::text::json) AS k(value)
  ON CONFLICT (book, relation, key) DO UPDATE SET txn = excluded.txn`

/** U+FFFF is not a character, so no text contains it by chance. */
const escape = '\uffff'

/**
 * Values as JSON text. PostgreSQL has no U+0000 in texts: it becomes U+FFFF and `0`, U+FFFF itself becomes
 * U+FFFF and `1`. Lone surrogates become U+FFFD for good. Bytes are base64.
 */
export function toRemote(values: unknown): string {
  return JSON.stringify(values, (_key, value: unknown) => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
    return typeof value === 'string' ? remoteText(value) : value
  })
}

function remoteText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return /[\0\uffff]/.test(wellFormed)
    ? wellFormed.replaceAll(escape, `${escape}1`).replaceAll('\0', `${escape}0`)
    : wellFormed
}

/** Reverses `toRemote` for one text. */
export const fromRemoteText = (text: string): string =>
  text.replaceAll(`${escape}0`, '\0').replaceAll(`${escape}1`, escape)

/** Reverses `toRemote` for texts; bytes arrive as bytes. */
export function fromRemote(row: SqlRow): SqlRow {
  const values = Object.entries(row)
  if (!values.some(([, value]) => typeof value === 'string' && value.includes(escape))) return row
  return Object.fromEntries(
    values.map(([name, value]) => [name, typeof value === 'string' ? fromRemoteText(value) : value]),
  )
}
