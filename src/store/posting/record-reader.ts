// Reads records into the postings: derived records by their hot columns (the table `facets`), others (the delta) from
// the records themselves, so that a question need not wait for the projection, which derives rows behind the writes.
// Invariant: the delta equals the postings of the later derived rows. A record whose derived rows depend on more
// than itself (it supersedes or marks another, has weights, or a begin or an end) blocks the delta until it is derived.
import type { Zone } from '../../core/zone.ts'
import { type JsonObject, readPath } from '../../core/json/path.ts'
import { isRecallable, type Kind, type Kinds } from '../../core/kind.ts'
import { markId } from '../../core/mark.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { isSealedText } from '../../core/sealed.ts'
import { parseTime } from '../../core/time.ts'
import { joinConditions } from '../condition/condition.ts'
import { plainSql } from '../condition/recall-scope.ts'
import { type DerivationInput, derivationColumns } from '../record/derived-rows.ts'
import type { Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'
import { textsOfRecord } from '../word/text.ts'
import type { IndexTotals } from './fts-index.ts'
import type { Postings } from './postings.ts'

export interface ReaderDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  /** The time zone of dates without a time. Undefined: UTC. */
  readonly zone: Zone | undefined
}

interface DerivedRow extends SqlRow {
  readonly seq: number
  readonly kind: string
  readonly happened_at: string
  readonly session: string | null
  /** 1 for a plain record, otherwise 0; `light` likewise. See `RecordAttributes`. */
  readonly plain: number
  readonly light: number
  readonly body: string
}
/** SQL: see `RecordAttributes.isLight`. */
const lightSql = `f.importance IS NULL AND f.confidence IS NULL AND f.pinned IS NOT 1
  AND NOT EXISTS (SELECT 1 FROM uses u WHERE u.seq = f.seq)`
/** An outdated record has no words, so its body is empty here. */
const columns = `f.seq, f.kind, f.happened_at, f.session, ${plainSql} AS plain, ${lightSql} AS light,
  CASE f.outdated WHEN 0 THEN r.body ELSE '{}' END AS body`

/** Records that are in memory at once. */
const pageSize = 25
/** A read ends after a page with this many UTF-16 units of bodies: a record may have a million. */
const maxReadChars = 4_000_000

/** Reads derived records that satisfy `bounds` (default all) into postings. */
export class DerivedReader {
  readonly #deps: ReaderDeps
  readonly #boundsSql: Fragment

  constructor(deps: ReaderDeps, bounds: readonly Fragment[] = []) {
    this.#deps = deps
    const { condition, params } = joinConditions(bounds)
    this.#boundsSql = bounds.length === 0 ? { sql: '', params: [] } : { sql: `AND ${condition}`, params }
  }

  /** Adds the records `seqs` to `postings`. */
  readInto(postings: Postings, seqs: readonly number[]): void {
    // The list comes first: an index that serves one of the bounds would give the whole reach, for each page.
    const sql = `SELECT ${columns} FROM json_each(?) j CROSS JOIN facets f ON f.seq = j.value
      CROSS JOIN records r ON r.seq = f.seq WHERE 1 ${this.#boundsSql.sql}`
    for (let from = 0; from < seqs.length; from += pageSize) {
      const page = JSON.stringify(seqs.slice(from, from + pageSize))
      for (const row of this.#deps.db.all<DerivedRow>(sql, [page, ...this.#boundsSql.params]))
        this.#setPosting(postings, row)
    }
  }

  /**
   * Adds about `limit` records with numbers above `from` and up to `upTo`, fewer when they are large; returns the new
   * cursor.
   */
  readRangeInto(
    postings: Postings,
    from: number,
    { upTo, limit }: { readonly upTo: number; readonly limit: number },
  ): number {
    // `NOT INDEXED`: by its number, as in `readInto`.
    const sql = `SELECT ${columns} FROM facets f NOT INDEXED CROSS JOIN records r ON r.seq = f.seq
      WHERE f.seq > ? AND f.seq <= ? ${this.#boundsSql.sql} ORDER BY f.seq LIMIT ?`
    let cursor = from
    let chars = 0
    for (let read = 0; read < limit && chars < maxReadChars; read += pageSize) {
      const rows = this.#deps.db.all<DerivedRow>(sql, [cursor, upTo, ...this.#boundsSql.params, pageSize])
      for (const row of rows) {
        this.#setPosting(postings, row)
        chars += row.body.length
      }
      if (rows.length < pageSize) return upTo
      cursor = rows.at(-1)?.seq ?? upTo
    }
    return cursor
  }

  #setPosting(postings: Postings, row: DerivedRow): void {
    const { kinds, zone } = this.#deps
    const kind = kinds.get(row.kind)
    const texts = kind ? textsOfRecord(kind, JSON.parse(row.body) as JsonObject, row.happened_at, zone) : []
    postings.setTexts(row.seq, texts, {
      session: row.session ?? undefined,
      happenedAtMs: parseTime(row.happened_at) ?? 0,
      isPlain: row.plain === 1,
      isLight: row.light === 1,
    })
  }
}

/** `used`: 1 when uses of the record are counted, so that it is not light. */
type PendingRow = DerivationInput & { readonly used: number }

const weightFacets = ['importance', 'confidence', 'pinned'] as const

/**
 * Reads records that are not derived yet into postings, and counts them.
 * Invariant: `totals` are the same before and after these records are derived.
 */
export class PostingDelta {
  readonly #deps: ReaderDeps
  readonly #projection: Projection
  readonly #markKinds: readonly string[]
  /** The counts of the records in the delta: rows and terms that the text index will have. */
  #added: { readonly seq: number; readonly rows: number; readonly terms: number }[] = []
  /** `projection.writeCount()` when the delta was complete. */
  #completeAt = Number.NaN
  /** `projection.writeCount()` when the delta was blocked. */
  #blockedAt = Number.NaN

  constructor(deps: ReaderDeps, projection: Projection) {
    this.#deps = deps
    this.#projection = projection
    this.#markKinds = [...deps.kinds.values()]
      .filter(({ marks }) => marks !== undefined)
      .map(({ name }) => name)
  }

  /** Adds up to `limit` records with numbers above `from` to `postings`, in order; returns the new cursor. */
  readInto(postings: Postings, from: number, limit: number): number {
    const writes = this.#projection.writeCount()
    const rows = this.#deps.db.all<PendingRow>(
      `SELECT ${derivationColumns}, EXISTS (SELECT 1 FROM uses u WHERE u.seq = records.seq) AS used
       FROM records WHERE seq > ? ORDER BY seq LIMIT ?`,
      [from, limit],
    )
    const hasMarks = rows.length > 0 && this.#hasMarks()
    let last = from
    for (const row of rows) {
      if (!this.#addRow(postings, row, hasMarks)) {
        this.#blockedAt = writes
        return last
      }
      last = row.seq
    }
    if (last === from) this.#completeAt = writes
    return last
  }

  /** True when every written record is in the postings. */
  isComplete(): boolean {
    return this.#completeAt === this.#projection.writeCount()
  }

  /** True when the next record must be derived before the delta can continue. */
  isBlocked(): boolean {
    return this.#blockedAt === this.#projection.writeCount()
  }

  /** The totals of FTS5's index, `derived`, plus those of the delta. */
  totals(derived: IndexTotals): IndexTotals {
    const upTo = this.#projection.derivedSeq()
    let { rows, terms } = derived
    for (const record of this.#added) {
      if (record.seq <= upTo) continue
      rows += record.rows
      terms += record.terms
    }
    return { rows, terms }
  }

  /** Drops the counts of records that are derived now. Call it outside of transactions. */
  prune(): void {
    const upTo = this.#projection.derivedSeq()
    if (this.#added.length > 0) this.#added = this.#added.filter(({ seq }) => seq > upTo)
  }

  #hasMarks(): boolean {
    return this.#markKinds.some(
      (name) => this.#deps.db.get('SELECT 1 FROM facets WHERE kind = ? LIMIT 1', [name]) !== undefined,
    )
  }

  #isMarked(id: string): boolean {
    return this.#deps.db.get('SELECT 1 FROM records WHERE id = ?', [markId(id)]) !== undefined
  }

  /** Adds a record; false when it must be derived first. */
  #addRow(postings: Postings, row: PendingRow, hasMarks: boolean): boolean {
    const { kinds, zone } = this.#deps
    const kind = kinds.get(row.kind)
    if (!kind || !isIndependent(kind) || (hasMarks && this.#isMarked(row.id))) return false
    if (row.deleted !== 0 || isSealedText(row.body)) return true
    const body = JSON.parse(row.body) as JsonObject
    if (row.used === 1 || weightFacets.some((name) => valueAt(body, kind.facets[name]) !== undefined))
      return false
    if ([kind.begins, kind.expires].some((path) => parseTime(textAt(body, path) ?? '') !== undefined))
      return false
    const happenedAt = textAt(body, kind.facets.happened_at) ?? row.created_at
    const texts = textsOfRecord(kind, body, happenedAt, zone)
    const terms = postings.setTexts(row.seq, texts, {
      session: row.session ?? undefined,
      happenedAtMs: parseTime(happenedAt) ?? 0,
      isPlain: isRecallable(kind, body),
      isLight: true,
    })
    // A kind without texts gets no row in the text index.
    const isIndexed = texts.length > 0
    this.#added.push({ seq: row.seq, rows: isIndexed ? 1 : 0, terms: isIndexed ? terms : 0 })
    return true
  }
}

/** True for kinds whose records neither change derived rows of other records nor depend on other records. */
const isIndependent = ({ marks, madeFrom, cites = [] }: Kind) =>
  marks === undefined &&
  (madeFrom === undefined || madeFrom.reachOnly === true) &&
  cites.every(({ supersedes }) => supersedes !== true)

const valueAt = (body: JsonObject, path: string | undefined) =>
  path === undefined ? undefined : readPath(body, path)

function textAt(body: JsonObject, path: string | undefined): string | undefined {
  const value = valueAt(body, path)
  return typeof value === 'string' ? value : undefined
}
