// A row of `records`, its columns, and the record that it stands for.
// Invariant: the columns are named once, here; whoever writes a row binds its values by these names.
import type { Kinds } from '../../core/kind.ts'
import type { Marks } from '../../core/mark/mark.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlRow, SqlValue } from '../../core/ports.ts'
import type { Stored } from '../../core/record.ts'
import { isSealing, type Sensitivity } from '../../core/sealed.ts'

export interface RecordRow extends SqlRow {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly agent: string
  readonly session: string | null
  readonly resource: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly stamp: string
  readonly ver: number
  readonly place: number
  readonly device: string | null
  /** The number of its newest unacknowledged op, on a device. */
  readonly op: number | null
  readonly rev: number
  readonly deleted: number
  /**
   * The version in which it was last forgotten, 0 for never. What was made on an older one has not seen that. On a device
   * that starts over -1: it lives again since, and the version is of no mirror that is known.
   */
  readonly gone: number
  /** The same for the last time that it was purged. */
  readonly purged: number
  /** As said when it was stored; null: `standard`. */
  readonly sensitivity: string | null
  /** The key that seals the body; null for a plain one. */
  readonly kid: string | null
  /** A JSON object, or the text of a sealed body. */
  readonly body: string
}

/** The columns of `records`, in the order in which they are written. */
const columnNames = [
  'seq',
  'id',
  'kind',
  'agent',
  'session',
  'resource',
  'created_at',
  'updated_at',
  'stamp',
  'ver',
  'place',
  'device',
  'op',
  'rev',
  'deleted',
  'gone',
  'purged',
  'sensitivity',
  'kid',
  'body',
] as const
/** What a change of a record may write: its number and its id stay. */
const changingNames = columnNames.filter((name) => name !== 'seq' && name !== 'id')

/** Columns of a `RecordRow`, for queries that name the table `r`. */
export const recordColumns = columnNames.map((name) => `r.${name} AS ${name}`).join(', ')

/** The body of the record `r` as others than the owner are told of it, in place of the body itself in `sql`. */
function withoutOwnerPathsSql(sql: string, kinds: Kinds): string {
  const cases = [...kinds.values()].flatMap(({ name, ownerPaths = [] }) => {
    const paths = ownerPaths.map((path) => `, '$.${path}'`).join('')
    return paths === '' ? [] : [`WHEN '${name}' THEN json_remove(r.body${paths})`]
  })
  return cases.length === 0 ? sql : sql.replaceAll('r.body', `CASE r.kind ${cases.join(' ')} ELSE r.body END`)
}

/** As many questions are kept as they are put for a guest: their texts are long, and there are few of them. */
const guardedLimit = 200

export function createOwnerlessSql(kinds: Kinds): (sql: string) => string {
  const guarded = new Map<string, string>()
  return (sql) => {
    const known = guarded.get(sql)
    if (known !== undefined) return known
    if (guarded.size >= guardedLimit) guarded.clear()
    const text = withoutOwnerPathsSql(sql, kinds)
    guarded.set(sql, text)
    return text
  }
}

const listed = `records (${columnNames.join(', ')}) VALUES (${columnNames.map(() => '?').join(', ')})`
/** Writes a new row; its values are `insertedValues`. */
export const insertRecordSql = `INSERT INTO ${listed}`
/** Writes a row in the place of another one with its number; its values are `insertedValues`. */
export const replaceRecordSql = `INSERT OR REPLACE INTO ${listed}`
/** Writes over the row with the same number; its values are `updatedValues`. */
export const updateRecordSql = `UPDATE records SET ${changingNames.map((name) => `${name} = ?`).join(', ')} WHERE seq = ?`

/** True for the tombstone of a record that was purged. */
export const isPurged = ({
  deleted,
  gone,
  purged,
}: Pick<RecordRow, 'deleted' | 'gone' | 'purged'>): boolean => deleted === 1 && purged > 0 && purged >= gone

/** True where the record is sealed, or was when it was forgotten. */
export const isSecret = ({
  kid,
  deleted,
  sensitivity,
}: Pick<RecordRow, 'kid' | 'deleted' | 'sensitivity'>): boolean =>
  kid !== null || (deleted === 1 && isSealing(sensitivity))

/** The version in which it was last forgotten, also where the tombstone was written before that was noted. */
export const goneIn = ({ deleted, gone, ver }: Pick<RecordRow, 'deleted' | 'gone' | 'ver'>): number =>
  deleted === 1 ? Math.max(gone, ver) : gone

export const insertedValues = (row: RecordRow): SqlValue[] => columnNames.map((name) => row[name])

export function updatedValues(row: RecordRow): SqlValue[] {
  const values: SqlValue[] = changingNames.map((name) => row[name])
  values.push(row.seq)
  return values
}

/**
 * The record as users see it; `body` is what a sealed one opens as. The head is written last: a body can't pass itself off
 * as another record. `marks`: what was said of it.
 */
export function toRecord(
  row: RecordRow,
  body: JsonObject = JSON.parse(row.body) as JsonObject,
  marks: Marks | undefined = marksFrom(row),
): Stored<JsonObject> {
  return {
    ...body,
    id: row.id,
    kind: row.kind,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ver: row.ver,
    agent: row.agent,
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.resource === null ? {} : { resource: row.resource }),
    ...(row.sensitivity === null ? {} : { sensitivity: row.sensitivity as Sensitivity }),
    ...(marks === undefined ? {} : { marks }),
  }
}

/** The marks of a row that was read together with its hot columns. */
function marksFrom(row: SqlRow): Marks | undefined {
  const text = row['marks']
  return typeof text === 'string' ? (JSON.parse(text) as Marks) : undefined
}

/** Broken pages show in what SQLite says; broken bytes inside a body only here. */
export function isWholeBody(body: SqlValue | undefined): boolean {
  try {
    // A forgotten record has none.
    return body === '' || typeof JSON.parse(String(body)) === 'object'
  } catch {
    return false
  }
}
