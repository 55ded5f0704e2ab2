// Keeps postings of the text index in memory: fills them in idle moments, from what the book has kept of them and then
// from its records, follows what the projection changes, and has the archive keep them.
// Invariant: they are read from what is committed and derived, so a rollback never leaves a trace in them. While they are not
// complete, and when they would take too much memory, there is no answer here and FTS5 gives it.
import type { Zone } from '../../core/calendar/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Clock, SqlDatabase, SqlRow } from '../../core/ports.ts'
import { parseTime } from '../../core/time.ts'
import { readTotals } from './index-totals.ts'
import type { PostingArchive } from './posting-archive.ts'
import type { SegmentLimits } from './posting-merge.ts'
import { createPostingSearch, type Scored } from './posting-search.ts'
import { createPostings, type Postings } from './postings.ts'
import type { Projection } from '../record/projection.ts'
import { plainSql } from '../condition/recall-scope.ts'
import { textOf } from '../word/text.ts'
import { tokenize } from '../word/tokenize.ts'

export interface TextIndexState {
  /** `cold`: FTS5 answers until all records are taken in. `off`: it answers for good. */
  readonly state: 'cold' | 'warm' | 'off'
  readonly records: number
  readonly bytes: number
}

export interface TextIndex {
  /**
   * Takes in up to `limit` records once nothing is left to derive, or a segment of what was kept, or keeps some; true
   * when more is to be done. For idle time: outside of transactions.
   */
  step(limit: number): boolean
  /** The best records for any of `terms`, or undefined when FTS5 must be asked. Over an index that is caught up. */
  search(terms: readonly string[], limit: number): Scored[] | undefined
  /** In how many records each term is, or undefined when FTS5 must be asked. */
  frequencies(terms: readonly string[]): Map<string, number> | undefined
  /** The postings themselves, or undefined when the database must be asked. */
  warm(): Postings | undefined
  state(): TextIndexState
}

export interface TextIndexBudget {
  readonly records: number
  readonly bytes: number
  /** How they are kept in the book. */
  readonly segments?: SegmentLimits
}

/** What is more takes too long to fill, or too much of a phone's memory. */
const defaultBudget: TextIndexBudget = { records: 1_200_000, bytes: 300_000_000 }
/** This few records are taken in at once by the question that finds them missing. */
const catchUpLimit = 50
/**
 * What was kept is read by the first questions if it is no more than this, and in no more time in all: a reading that is not
 * finished then was waited for in vain. What is more is read in idle moments.
 */
const loadLimit = { bytes: 1_500_000, ms: 150 } as const

interface Source extends SqlRow {
  readonly seq: number
  readonly kind: string
  readonly happened_at: string
  readonly session: string | null
  readonly plain: number
  readonly light: number
  readonly body: string
}
const lightSql = `f.importance IS NULL AND f.confidence IS NULL AND f.pinned IS NOT 1
  AND NOT EXISTS (SELECT 1 FROM uses u WHERE u.seq = f.seq)`
const select = `SELECT f.seq, f.kind, f.happened_at, f.session, ${plainSql} AS plain, ${lightSql} AS light,
  CASE f.outdated WHEN 0 THEN r.body ELSE '{}' END AS body
  FROM facets f JOIN records r ON r.seq = f.seq`

export interface TextIndexParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly archive: PostingArchive
  readonly clock: Clock
  readonly zone?: Zone | undefined
  readonly budget?: TextIndexBudget | undefined
}

export function createTextIndex(parts: TextIndexParts): TextIndex {
  const { db, kinds, projection, archive, clock, zone, budget = defaultBudget } = parts
  let postings = createPostings(archive.compacted)
  let find = createPostingSearch(postings)
  /** Records up to here are taken in, but for those in `changed`. */
  let cursor = 0
  let off = false
  /** `loading`: segments are left to be read. `unproved`: they are read, and held against the records when all are in. */
  let source: 'loading' | 'unproved' | 'proved' = 'loading'
  const changed = new Set<number>()
  /** How long questions have waited for what was kept. */
  let waitedMs = 0

  projection.watch((seq) => {
    if (!off && seq <= cursor) changed.add(seq)
  })

  /** Starts over from the records; what was kept is not of these postings. */
  const forget = () => {
    archive.abandon()
    postings = createPostings(archive.compacted)
    find = createPostingSearch(postings)
    changed.clear()
    cursor = 0
    source = 'proved'
  }

  /** Reads one piece. */
  const load = () => {
    const state = archive.load(postings)
    if (state === 'damaged') return forget()
    if (state === 'more') return
    cursor = archive.savedSeq()
    for (const seq of archive.stale()) changed.add(seq)
    source = cursor > 0 ? 'unproved' : 'proved'
  }

  /** Called with all records in: as many as there should be? */
  const prove = () => {
    source = 'proved'
    if (db.get<{ n: number }>('SELECT count(*) AS n FROM facets')?.n !== postings.records()) forget()
  }

  const take = (row: Source) => {
    const kind = kinds.get(row.kind)
    const texts = kind ? textOf(kind, JSON.parse(row.body) as JsonObject, row.happened_at, zone) : []
    const terms = texts.flatMap((text) => tokenize(text))
    postings.set(row.seq, terms, {
      session: row.session ?? undefined,
      at: parseTime(row.happened_at) ?? 0,
      isPlain: row.plain === 1,
      isLight: row.light === 1,
    })
  }

  const takeChanged = (limit: number) => {
    const seqs = [...changed].slice(0, limit)
    const rows = db.all<Source>(`${select} WHERE f.seq IN (SELECT value FROM json_each(?))`, [
      JSON.stringify(seqs),
    ])
    for (const seq of seqs) postings.remove(seq)
    rows.forEach(take)
    for (const seq of seqs) changed.delete(seq)
  }

  const takeNew = (upTo: number, limit: number) => {
    const rows = db.all<Source>(`${select} WHERE f.seq > ? AND f.seq <= ? ORDER BY f.seq LIMIT ?`, [
      cursor,
      upTo,
      limit,
    ])
    rows.forEach(take)
    cursor = rows.length < limit ? upTo : (rows.at(-1)?.seq ?? upTo)
  }

  const isComplete = () =>
    source !== 'loading' && changed.size === 0 && cursor === projection.derivedSeq() && !projection.isBehind()

  /** Takes in what is next; true when more waits. */
  const takeSome = (limit: number): boolean => {
    // A record that changed and is not derived yet would be taken in with a text the index doesn't have.
    if (off || projection.isBehind()) return false
    if (source === 'loading') {
      load()
      return true
    }
    const upTo = projection.derivedSeq()
    if (upTo < cursor) forget()
    if (changed.size > 0) takeChanged(limit)
    else if (cursor < upTo) takeNew(upTo, limit)
    if (source === 'unproved' && isComplete()) prove()
    if (postings.records() > budget.records || postings.sizeBytes() > budget.bytes) {
      forget()
      off = true
    }
    return !off && (changed.size > 0 || cursor < projection.derivedSeq())
  }

  const step = (limit: number): boolean => {
    archive.tidy()
    const more = takeSome(limit)
    return keep() || more
  }

  /** Keeps what is in memory, once that is proved and nothing in it is out of date. */
  const keep = (): boolean =>
    !off &&
    source === 'proved' &&
    changed.size === 0 &&
    !projection.isBehind() &&
    archive.save(postings, cursor, isComplete())

  /** For a question: reads what was kept, while questions have not waited long enough for that. */
  const loadNow = () => {
    if (archive.sizeBytes() > loadLimit.bytes) return
    for (let now = clock.now(); source === 'loading' && waitedMs < loadLimit.ms;) {
      const began = now
      load()
      now = clock.now()
      waitedMs += Math.max(0, now - began)
    }
  }

  /** True when every record is taken in, if need be now. */
  const isWarm = (): boolean => {
    if (off || projection.isBehind()) return false
    if (source === 'loading') loadNow()
    if (source === 'loading') return false
    const missing = Math.abs(projection.derivedSeq() - cursor) + changed.size
    if (missing > catchUpLimit) return false
    // New ones, changed ones, and nothing left.
    for (let i = 0; i < 3 && takeSome(catchUpLimit); i++);
    if (source === 'unproved') prove()
    return !off && isComplete()
  }

  return {
    step,
    search(terms, limit) {
      if (!isWarm()) return undefined
      return find(terms, readTotals(db), limit)
    },
    frequencies: (terms) =>
      isWarm() ? new Map(terms.map((term) => [term, postings.frequency(term)])) : undefined,
    warm: () => (isWarm() ? postings : undefined),
    state() {
      const bytes = off ? 0 : postings.sizeBytes()
      return { state: off ? 'off' : isComplete() ? 'warm' : 'cold', records: postings.records(), bytes }
    },
  }
}
