// A row of `records`, its columns, and its record.
// Invariant: the columns are named once, here; all writers bind values by these names.
import type { Kinds } from '../../core/kind.ts'
import type { Marks } from '../../core/mark.ts'
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
   * The version in which it was last forgotten, 0 for never. A change of an older version has not seen the forget. -1 on a device
   * that starts over: the record was made again, and the version belongs to no known mirror.
   */
  readonly gone: number
  /** The same for its last purge. */
  readonly purged: number
  /** Null: `standard`. */
  readonly sensitivity: string | null
  /** The key that seals the body; null for a plain one. */
  readonly kid: string | null
  /** A JSON object, or the text of a sealed body. */
  readonly body: string
}

/** The columns of `records`, in the order of writing. */
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
/** The columns that a change may write: number and id stay. */
const changingNames = columnNames.filter((name) => name !== 'seq' && name !== 'id')

/** Columns of a `RecordRow`, for queries that name the table `r`. */
export const recordColumns = columnNames.map((name) => `r.${name} AS ${name}`).join(', ')

/** Replaces the body of the record `r` in `sql` by the one without the paths that only the owner may read. */
function withoutOwnerPathsSql(sql: string, kinds: Kinds): string {
  const cases = [...kinds.values()].flatMap(({ name, ownerPaths = [] }) => {
    const paths = ownerPaths.map((path) => `, '$.${path}'`).join('')
    return paths === '' ? [] : [`WHEN '${name}' THEN json_remove(r.body${paths})`]
  })
  return cases.length === 0 ? sql : sql.replaceAll('r.body', `CASE r.kind ${cases.join(' ')} ELSE r.body END`)
}

/** The size of the cache of rewritten queries. */
const cacheLimit = 200

export function createOwnerlessSql(kinds: Kinds): (sql: string) => string {
  const cache = new Map<string, string>()
  return (sql) => {
    const cached = cache.get(sql)
    if (cached !== undefined) return cached
    if (cache.size >= cacheLimit) cache.clear()
    const text = withoutOwnerPathsSql(sql, kinds)
    cache.set(sql, text)
    return text
  }
}

const listed = `records (${columnNames.join(', ')}) VALUES (${columnNames.map(() => '?').join(', ')})`
/** Writes a new row; its values are `insertedValues`. */
export const insertRecordSql = `INSERT INTO ${listed}`
/** Replaces a row with the same number; its values are `insertedValues`. */
export const replaceRecordSql = `INSERT OR REPLACE INTO ${listed}`
/** Updates the row with the same number; its values are `updatedValues`. */
export const updateRecordSql = `UPDATE records SET ${changingNames.map((name) => `${name} = ?`).join(', ')} WHERE seq = ?`

/** True for the tombstone of a record that was purged. */
export const isPurged = ({
  deleted,
  gone,
  purged,
}: Pick<RecordRow, 'deleted' | 'gone' | 'purged'>): boolean => deleted === 1 && purged > 0 && purged >= gone

/** True when the record is sealed, or was when it was forgotten. */
export const isSecret = ({
  kid,
  deleted,
  sensitivity,
}: Pick<RecordRow, 'kid' | 'deleted' | 'sensitivity'>): boolean =>
  kid !== null || (deleted === 1 && isSealing(sensitivity))

/** The version in which it was last forgotten, also for a tombstone older than the column. */
export const goneIn = ({ deleted, gone, ver }: Pick<RecordRow, 'deleted' | 'gone' | 'ver'>): number =>
  deleted === 1 ? Math.max(gone, ver) : gone

export const insertedValues = (row: RecordRow): SqlValue[] => columnNames.map((name) => row[name])

export function updatedValues(row: RecordRow): SqlValue[] {
  const values: SqlValue[] = changingNames.map((name) => row[name])
  values.push(row.seq)
  return values
}

/** The record as users see it; `body`: of an opened sealed record. The head is written last, so a body can't forge it. */
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

/** The marks of a row that was read with its hot columns. */
function marksFrom(row: SqlRow): Marks | undefined {
  const text = row['marks']
  return typeof text === 'string' ? (JSON.parse(text) as Marks) : undefined
}

/** Detects broken bytes inside a body; SQLite reports broken pages alone. */
export function isWholeBody(body: SqlValue | undefined): boolean {
  try {
    // A forgotten record has no body.
    return body === '' || typeof JSON.parse(String(body)) === 'object'
  } catch {
    return false
  }
}
