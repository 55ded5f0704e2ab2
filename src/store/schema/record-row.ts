// The rows of `records`: their columns, and the records made from them.
// Invariant: the columns are listed only here, and every writer uses this list.
import type { Kinds } from '../../core/kind.ts'
import type { Marks } from '../../core/mark.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlRow, SqlValue } from '../../core/ports.ts'
import type { Stored } from '../../core/record.ts'
import { isSealing, type Sensitivity } from '../../core/sealed.ts'
import type { Trust } from '../../core/trusted.ts'

export interface RecordRow extends SqlRow {
  /** The number of the record in this copy, ascending. Other copies number it differently. */
  readonly seq: number
  readonly id: string
  readonly kind: string
  /** The scope: the agent that wrote it, its run, and the user or thing that it is about. */
  readonly agent: string
  readonly session: string | null
  readonly resource: string | null
  /** Canonical times. */
  readonly created_at: string
  readonly updated_at: string
  /** The stamp of the last change, by a hybrid logical clock: it breaks ties. */
  readonly stamp: string
  /** The mirror's version of the record; 0 when the mirror has given none. */
  readonly ver: number
  /** The place of this version in the mirror's sequence of changes; 0 for none. */
  readonly place: number
  /** The device that made the version `ver`; null for none. */
  readonly device: string | null
  /** On a device: the number of its newest unacknowledged op; null for none. */
  readonly op: number | null
  /** The local version: 1 for a new record, 1 more after each change in this copy. */
  readonly rev: number
  /** 1 for a tombstone, otherwise 0. */
  readonly deleted: number
  /**
   * The mirror's version of the last forget; 0 for none. A change of an older version has not seen the forget. On a
   * device that starts over, 1 or -1 replaces the version of an unknown mirror: see `clearMirrorVersions`.
   */
  readonly gone: number
  /** The mirror's version of the last purge, with the same special values. */
  readonly purged: number
  /** Null: the sensitivity of the kind, or `standard`. */
  readonly sensitivity: string | null
  /** Null: `owner`. */
  readonly trust: string | null
  /** The id of the key that seals the body; null for a body in clear. */
  readonly kid: string | null
  /** The JSON text of an object, or of a sealed body (an array). */
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
  'trust',
  'kid',
  'body',
] as const
/** The columns that a change writes: all but the number and the id. */
const updatedColumnNames = columnNames.filter((name) => name !== 'seq' && name !== 'id')

/** The columns of a `RecordRow`, for a query with the table alias `r`. */
export const recordColumns = columnNames.map((name) => `r.${name} AS ${name}`).join(', ')

/** Replaces each `r.body` in `sql` by the body without the owner-only paths of its kind. */
function withoutOwnerPathsSql(sql: string, kinds: Kinds): string {
  const cases = [...kinds.values()].flatMap(({ name, ownerPaths = [] }) => {
    const paths = ownerPaths.map((path) => `, '$.${path}'`).join('')
    return paths === '' ? [] : [`WHEN '${name}' THEN json_remove(r.body${paths})`]
  })
  return cases.length === 0 ? sql : sql.replaceAll('r.body', `CASE r.kind ${cases.join(' ')} ELSE r.body END`)
}

/** Most rewritten queries in the cache. */
const maxCachedQueries = 200

/** Makes a function that rewrites a query so that it can't read owner-only fields. It caches its results. */
export function createOwnerFieldRemover(kinds: Kinds): (sql: string) => string {
  const cache = new Map<string, string>()
  return (sql) => {
    const cached = cache.get(sql)
    if (cached !== undefined) return cached
    if (cache.size >= maxCachedQueries) cache.clear()
    const text = withoutOwnerPathsSql(sql, kinds)
    cache.set(sql, text)
    return text
  }
}

const intoRecordsSql = `records (${columnNames.join(', ')}) VALUES (${columnNames.map(() => '?').join(', ')})`
/** Writes a new row. */
export const insertRecordSql = `INSERT INTO ${intoRecordsSql}`
/** Writes a row, in place of one with the same number. */
export const replaceRecordSql = `INSERT OR REPLACE INTO ${intoRecordsSql}`
/** Updates the row with the same number. */
export const updateRecordSql = `UPDATE records SET ${updatedColumnNames.map((name) => `${name} = ?`).join(', ')} WHERE seq = ?`

/** True for the tombstone of a purge. After a later forget, `gone` is higher than `purged`. */
export const isPurged = ({
  deleted,
  gone,
  purged,
}: Pick<RecordRow, 'deleted' | 'gone' | 'purged'>): boolean => deleted === 1 && purged > 0 && purged >= gone

/** True when the record is sealed, or was sealed when it was forgotten. */
export const isOrWasSealed = ({
  kid,
  deleted,
  sensitivity,
}: Pick<RecordRow, 'kid' | 'deleted' | 'sensitivity'>): boolean =>
  kid !== null || (deleted === 1 && isSealing(sensitivity))

/** The version of the last forget, also for a tombstone from before the column `gone` existed; 0 for none. */
export const lastForgetVersion = ({
  deleted,
  gone,
  ver,
}: Pick<RecordRow, 'deleted' | 'gone' | 'ver'>): number => (deleted === 1 ? Math.max(gone, ver) : gone)

/** The parameters of `insertRecordSql` and `replaceRecordSql`. */
export const insertedValues = (row: RecordRow): SqlValue[] => columnNames.map((name) => row[name])

/** The parameters of `updateRecordSql`. */
export function updatedValues(row: RecordRow): SqlValue[] {
  const values: SqlValue[] = updatedColumnNames.map((name) => row[name])
  values.push(row.seq)
  return values
}

/**
 * The record for callers. `body`: the decrypted body of a sealed record. `marks`: default those that the
 * query read with the row. The head comes last, so a body can't replace it.
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
    ...(row.trust === null ? {} : { trust: row.trust as Trust }),
    ...(marks === undefined ? {} : { marks }),
  }
}

/** The marks of a row that a query read together with `facets.marks`. */
function marksFrom(row: SqlRow): Marks | undefined {
  const text = row['marks']
  return typeof text === 'string' ? (JSON.parse(text) as Marks) : undefined
}

/** False for a body that is no JSON of an object or array. SQLite reports damaged pages, but not such damage. */
export function isIntactBody(body: SqlValue | undefined): boolean {
  try {
    // A tombstone may have an empty body.
    return body === '' || typeof JSON.parse(String(body)) === 'object'
  } catch {
    return false
  }
}
