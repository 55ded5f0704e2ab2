// A snapshot of a book: lists the records and their versions at one instant, and reads them later in pieces.
// Invariant: the snapshot does not include later changes. A record that is forgotten later leaves the snapshot too.
import type { RecordSnapshot } from '../../core/capability/transfer.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { Stored } from '../../core/record.ts'
import { sealedOf } from '../../core/sealed.ts'
import type { Bodies } from './bodies.ts'
import type { Fragment } from '../schema/column.ts'
import { type RecordRow, recordColumns, toRecord } from '../schema/record-row.ts'

/** A record in the list of a snapshot. */
export interface SnapshotEntry {
  readonly id: string
  readonly kind: string
  readonly seq: number
  /** The local version that the snapshot has. */
  readonly rev: number
}

/** Number and version of each record of one kind, 16 bytes: the list of a large book fits in memory. */
interface KindList {
  count: number
  seqs: Float64Array
  revs: Float64Array
}

const pageRecords = 2000

/**
 * The live records that match `where` (over `facets f` and `records r`), by id. Call it when the projection has
 * caught up.
 */
export function* listRecords(db: SqlDatabase, where: readonly Fragment[]): Generator<SnapshotEntry> {
  const condition = ['r.id > ?', ...where.map(({ sql }) => sql)].join(' AND ')
  const params = where.flatMap((part) => part.params)
  let after = ''
  for (;;) {
    // CROSS JOIN makes SQLite read in the order of ids, so that it need not sort all records for each page.
    const rows = db.all<SnapshotEntry & SqlRow>(
      `SELECT r.id, r.kind, r.seq, r.rev FROM records r CROSS JOIN facets f ON f.seq = r.seq
       WHERE ${condition} ORDER BY r.id LIMIT ?`,
      [after, ...params, pageRecords],
    )
    yield* rows
    after = rows.at(-1)?.id ?? after
    if (rows.length < pageRecords) return
  }
}

interface SnapshotOptions {
  /** Decrypts sealed records. Default: the list has none. */
  readonly bodies?: Bodies
  /** How many sealed records are in the list, and how many of the book can't be read here. Default 0. */
  readonly sealed?: number
  readonly locked?: number
  /** False: the list includes records without their key here, which are read in sealed form. Default true. */
  readonly areAllReadable?: boolean
}

/** Makes a snapshot of the records in `entries`. */
export function takeSnapshot(
  db: SqlDatabase,
  entries: Iterable<SnapshotEntry>,
  { bodies, sealed = 0, locked = 0, areAllReadable = true }: SnapshotOptions = {},
): RecordSnapshot {
  const lists = new Map<string, KindList>()
  for (const entry of entries) addToList(lists, entry)
  return {
    counts: new Map([...lists].map(([kind, { count }]) => [kind, count])),
    sealed,
    locked,
    // From index `from`, until the bodies have `length` UTF-16 units.
    read(kind, from, length) {
      const { count, seqs, revs } = lists.get(kind) ?? emptyList()
      const records: Stored<JsonObject>[] = []
      let n = from
      for (let readChars = 0; n < count && readChars < length; n++) {
        const row = readVersion(db, seqs[n] ?? 0, revs[n] ?? 0)
        // Forgotten since.
        if (!row) continue
        const enc = areAllReadable ? undefined : sealedOf(row.body)
        const body = enc
          ? (bodies?.read(row, row.body) ?? ({ sealed: enc } as unknown as JsonObject))
          : bodies?.readOrThrow(row, row.body)
        records.push(toRecord(row, body))
        readChars += row.body.length
      }
      return { records, next: n < count ? n : undefined }
    },
  }
}

function addToList(lists: Map<string, KindList>, { kind, seq, rev }: SnapshotEntry): void {
  const kindList = lists.get(kind) ?? emptyList()
  lists.set(kind, kindList)
  if (kindList.count === kindList.seqs.length) {
    kindList.seqs = doubled(kindList.seqs)
    kindList.revs = doubled(kindList.revs)
  }
  kindList.seqs[kindList.count] = seq
  kindList.revs[kindList.count] = rev
  kindList.count += 1
}

function emptyList(): KindList {
  return { count: 0, seqs: new Float64Array(1024), revs: new Float64Array(1024) }
}

function doubled(values: Float64Array): Float64Array {
  const larger = new Float64Array(values.length * 2)
  larger.set(values)
  return larger
}

type Version = Pick<RecordRow, 'agent' | 'session' | 'resource' | 'sensitivity' | 'trust' | 'body'> & {
  readonly at: string
  /** `put` or `forget`. */
  readonly op: string
}

/** The row at `seq` in version `rev`, or in the next stored one; undefined when the record is forgotten now. */
function readVersion(db: SqlDatabase, seq: number, rev: number): RecordRow | undefined {
  const row = db.get<RecordRow>(`SELECT ${recordColumns} FROM records r WHERE r.seq = ?`, [seq])
  if (!row || row.deleted) return undefined
  if (row.rev === rev) return row
  // The version may be removed, because it differs in counts only or is beyond the limit. Then take the next one.
  const earlier = db.get<Version>(
    `SELECT op, at, agent, session, resource, sensitivity, trust, body FROM history
     WHERE seq = ? AND version >= ? ORDER BY version LIMIT 1`,
    [seq, rev],
  )
  if (!earlier) return row
  if (earlier.op === 'forget') return undefined
  const { at, op: _op, ...version } = earlier
  return { ...row, ...version, updated_at: at, rev }
}
