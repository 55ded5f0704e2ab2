// Joins the answers of two stores: the records in clear in the book, and the decrypted sealed records in memory.
// Invariant: orders, counts and ranks are those of one store with all these records, because the word frequencies of
// both are added. Exceptions: each store finds neighbours in a session among its own records only, and scores of
// searches by prefix or column are not computed again. While no sealed record is decrypted, every answer is the
// book's own.
import type { PeriodCount, Extent, UnreadScope } from '../../core/capability/port/record-port.ts'
import type { SnapshotQuery } from '../../core/capability/transfer.ts'
import type { Zone } from '../../core/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { Reach } from '../../core/access/reach.ts'
import type { Bodies } from '../record/bodies.ts'
import { countSealed, countUnread, listUnread, type UnreadGroup } from './sealed-list.ts'
import { mergeRows, toPage } from '../query/query-page.ts'
import type { QueryParts, QueryStore } from '../query/query-store.ts'
import { takeSnapshot, type SnapshotEntry } from '../record/snapshot.ts'
import type { TermCounts } from '../query/evidence.ts'
import { searchText } from '../query/text-search.ts'
import { joinRunSpans } from '../query/tally.ts'
import { byRank, type RankedText, type RankQuestion, type TextRank } from '../query/text-rank.ts'
import { tokenize } from '../word/tokenize.ts'

export interface JointQueryParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly bodies: Bodies
  readonly zone: Zone
  readonly main: QueryParts
  /** The store of decrypted records, up to date; undefined without any. Pass `isWithin` inside a transaction. */
  opened(isWithin?: boolean): QueryParts | undefined
  /** The sealed records that can't be decrypted here, grouped. */
  unread(): readonly UnreadGroup[]
  isOpened(seq: number): boolean
  /** The reach of a guest: its cursors have ids, and its counts include no locked records. Undefined: the owner. */
  readonly reach?: Reach
}

/** The queries of a whole book. */
export interface BookQueries extends QueryStore {
  within(reach: Reach): BookQueries
  /**
   * How many sealed records in `scope` can't be decrypted here. For a guest: only those in its reach by their heads.
   */
  unread(scope: UnreadScope): number
}

export function createJointQueries(parts: JointQueryParts): BookQueries {
  const { main, opened } = parts
  // An object literal, because callers spread it.
  return {
    within: (narrower) =>
      createJointQueries({
        ...parts,
        main: main.within(narrower),
        opened: (isWithin) => opened(isWithin)?.within(narrower),
        reach: narrower,
      }),
    ...textQueries(parts),
    ...recordQueries(parts),
    ...sums(parts),
    ...snapshots(parts),
  }
}

type Own<Name extends keyof BookQueries> = Pick<BookQueries, Name>

/** A function that asks the book only, or both stores and joins the answers when sealed records are decrypted. */
const eitherOf =
  ({ main, opened }: JointQueryParts) =>
  <Answer>(own: (store: QueryParts) => Answer, join: (one: Answer, other: Answer) => Answer): Answer => {
    const other = opened()
    return other ? join(own(main), own(other)) : own(main)
  }

function textQueries(
  parts: JointQueryParts,
): Own<'query' | 'search' | 'candidates' | 'frequencies' | 'completion' | 'resembling' | 'termCounts'> {
  const { kinds, main, opened, reach } = parts
  const either = eitherOf(parts)
  const termCounts = (seqs: readonly number[], terms: readonly string[]): TermCounts =>
    either((store) => store.termCounts(seqs, terms), addCounts)
  const rank = (other: QueryParts) => rankTogether(main, other, termCounts)
  return {
    query(query) {
      const other = opened()
      if (!other) return main.query(query)
      const { offset = 0, limit = 100 } = query
      const wide = { ...query, offset: 0, limit: offset + limit }
      const placeById = (id: string) => main.placeById(id) ?? other.placeById(id)
      const one = main.page(wide, placeById)
      const two = other.page(wide, placeById)
      const rows = mergeRows(one.rows, two.rows, one.keys).slice(offset, offset + limit + 1)
      return toPage({ rows, keys: one.keys }, limit, reach !== undefined)
    },
    search(query) {
      const other = opened()
      if (!other) return main.search(query)
      const where = main.searchWhere(query)
      const records = (seqs: readonly number[]) => [...main.rows(seqs), ...other.rows(seqs)]
      const kind = query.kind === undefined ? undefined : kinds.get(query.kind)
      return searchText({ rank: rank(other), records, zone: parts.zone }, kind, where, query)
    },
    candidates(query) {
      const other = opened()
      if (!other) return main.candidates(query)
      const { words, match, limit, ...scope } = query
      return rank(other)({ words, match, ...main.scope(scope), isPlain: false, ties: 'happened', limit }).map(
        (one, i) => ({ ...one, rank: i + 1 }),
      )
    },
    frequencies: (words) => either((store) => store.frequencies(words), addMaps),
    completion(prefix) {
      const found = [main, opened()].flatMap((store) => store?.completion(prefix) ?? [])
      if (found.length < 2) return found[0]
      const counts = either((store) => store.frequencies(found), addMaps)
      return found.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1))[0]
    },
    resembling: (term, most) => either((store) => store.resembling(term, most), addMaps),
    termCounts,
  }
}

function recordQueries(
  parts: JointQueryParts,
): Own<
  | 'matching'
  | 'weigh'
  | 'places'
  | 'read'
  | 'named'
  | 'reach'
  | 'citing'
  | 'held'
  | 'reached'
  | 'mayHold'
  | 'isDisplaced'
> {
  const { db, main, opened, reach } = parts
  const either = eitherOf(parts)
  /** The store of decrypted records, inside a transaction, with all rows derived. */
  const openedWithin = () => {
    const other = opened(true)
    other?.size()
    return other
  }
  return {
    matching: (seqs, scope) => either((store) => store.matching(seqs, scope), joinMaps),
    weigh: (seqs, scope) => either((store) => store.weigh(seqs, scope), joinMaps),
    places: (seqs, scope) => either((store) => store.places(seqs, scope), joinMaps),
    read: (seqs) => either((store) => store.read(seqs), joinMaps),
    named: (seqs) => either((store) => store.named(seqs), joinMaps),
    reach: (scope) => either((store) => store.reach(scope), joinLists),
    citing: (id) => [...main.citing(id), ...(openedWithin()?.citing(id) ?? [])],
    held: (ids) => new Set([...main.held(ids), ...(openedWithin()?.held(ids) ?? [])]),
    reached(query) {
      const wide = query.made && query.ids && !reach ? { ...query, ids: withMade(db, query.ids) } : query
      const found = either(
        (store) => store.reached(wide),
        (one, other) => [...one, ...other].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      )
      return found.slice(0, query.limit)
    },
    mayHold: (id) => main.mayHold(id),
    isDisplaced: (id) => main.isDisplaced(id) || openedWithin()?.isDisplaced(id) === true,
  }
}

function sums(
  parts: JointQueryParts,
): Own<'count' | 'totals' | 'size' | 'usage' | 'extents' | 'runs' | 'counts' | 'unread'> {
  const { db, kinds, main, reach } = parts
  const either = eitherOf(parts)
  return {
    count: (query) => either((store) => store.count(query), addBuckets),
    totals: () =>
      either(
        (store) => store.totals(),
        (one, other) => ({ rows: one.rows + other.rows, terms: one.terms + other.terms }),
      ),
    size: () =>
      either(
        (store) => store.size(),
        (one, other) => one + other,
      ),
    usage: () =>
      either(
        (store) => store.usage(),
        (one, other) => ({ bytes: one.bytes + other.bytes, pending: one.pending + other.pending }),
      ),
    extents: () => either((store) => store.extents(), joinExtents),
    runs: (query) => either((store) => store.runs(query), joinRunSpans),
    counts: () =>
      reach
        ? either((store) => store.counts(), addRecords)
        : // The owner's counts include records that can't be decrypted.
          addRecords(main.counts(), countSealed(db)),
    unread: (scope) => countUnread(parts.unread(), scope, { kinds, reach }),
  }
}

function snapshots({ db, kinds, bodies, main, opened, isOpened, reach }: JointQueryParts): Own<'snapshot'> {
  /** A snapshot whose sealed bodies stay in their stored form. */
  const sealedSnapshot = (query: SnapshotQuery) => {
    const sealed = listUnread(db, () => false, query)
    const counts = { sealed: sealed.length, locked: sealed.length, isWhole: false }
    return takeSnapshot(db, inOrder(main.listed(query), sealed), counts)
  }
  /** How many sealed records of the kinds `names` are not decrypted. */
  const countLocked = (names: readonly string[], other: QueryParts | undefined): number => {
    const all = countSealed(db)
    const readable = other?.counts() ?? {}
    // Don't count marks: they go with the marked records.
    const counted = names.filter((name) => kinds.get(name)?.marks === undefined)
    return counted.reduce((sum, name) => sum + (all[name] ?? 0) - (readable[name] ?? 0), 0)
  }
  return {
    snapshot(query) {
      if (query.asSealed && !reach) return sealedSnapshot(query)
      const other = query.sealed === false ? undefined : opened()
      const sealed = other ? [...other.listed(query)] : []
      // Don't tell a guest about records that it can't read.
      const locked = reach || query.sealed === false ? 0 : countLocked(query.kinds, other)
      const unread = query.unread && locked > 0 ? listUnread(db, isOpened, query) : []
      const listed = inOrder(inOrder(main.listed(query), sealed), unread)
      return takeSnapshot(db, listed, { bodies, sealed: sealed.length, locked, isWhole: unread.length === 0 })
    },
  }
}

/** `ids`, and the ids of all records that were made from these, directly or indirectly. */
function withMade(db: SqlDatabase, ids: readonly string[]): string[] {
  return db
    .all<SqlRow & { id: string }>(
      `WITH RECURSIVE made (id) AS (SELECT value FROM json_each(?) UNION
         SELECT r.id FROM made JOIN sources s ON s.source = made.id JOIN records r ON r.seq = s.seq)
       SELECT id FROM made`,
      [JSON.stringify(ids)],
    )
    .map(({ id }) => id)
}

/** Merges two lists of entries that are sorted by id. */
function* inOrder(one: Iterable<SnapshotEntry>, others: readonly SnapshotEntry[]): Generator<SnapshotEntry> {
  let at = 0
  for (const entry of one) {
    for (let next = others[at]; next && next.id < entry.id; next = others[++at]) yield next
    yield entry
  }
  yield* others.slice(at)
}

function joinMaps<Value>(one: Map<number, Value>, other: Map<number, Value>): Map<number, Value> {
  return new Map([...one, ...other])
}

function joinLists<Value>(one: readonly Value[], other: readonly Value[]): Value[] {
  return [...one, ...other]
}

function addMaps(one: Map<string, number>, other: Map<string, number>): Map<string, number> {
  const sum = new Map(one)
  for (const [key, n] of other) sum.set(key, n + (sum.get(key) ?? 0))
  return sum
}

function addRecords(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  return Object.fromEntries(addMaps(new Map(Object.entries(one)), new Map(Object.entries(other))))
}

/** Adds the counts of two stores: a record is in only one of them, and has zeros in the other. */
function addCounts(one: TermCounts, other: TermCounts): TermCounts {
  return {
    sizes: one.sizes.map((size, i) => size + (other.sizes[i] ?? 0)),
    counts: one.counts.map((count, i) => count + (other.counts[i] ?? 0)),
  }
}

function addBuckets(one: PeriodCount, other: PeriodCount): PeriodCount {
  const buckets = new Map(one.buckets.map((bucket) => [bucket.at, bucket]))
  for (const { at, count, failed } of other.buckets) {
    const before = buckets.get(at)
    buckets.set(at, { at, count: count + (before?.count ?? 0), failed: failed + (before?.failed ?? 0) })
  }
  const sorted = [...buckets.values()].sort((a, b) => (a.at < b.at ? -1 : 1))
  return { total: one.total + other.total, buckets: sorted }
}

function joinExtents(one: Record<string, Extent>, other: Record<string, Extent>): Record<string, Extent> {
  const joined = { ...one }
  for (const [kind, extent] of Object.entries(other)) {
    const before = joined[kind]
    joined[kind] = before
      ? {
          count: before.count + extent.count,
          earliest: before.earliest < extent.earliest ? before.earliest : extent.earliest,
          latest: before.latest > extent.latest ? before.latest : extent.latest,
        }
      : extent
  }
  return joined
}

/** The BM25 constants of FTS5. */
const k1 = 1.2
const b = 0.75

type CountTerms = (seqs: readonly number[], terms: readonly string[]) => TermCounts

interface JointStores {
  readonly one: QueryParts
  readonly other: QueryParts
  readonly countTerms: CountTerms
}

/** Ranks the matches of both stores as one list, with scores by the word frequencies of both. */
function rankTogether(one: QueryParts, other: QueryParts, countTerms: CountTerms): TextRank {
  return (question) => {
    const { offset = 0, limit, ties } = question
    const wide: RankQuestion = {
      ...question,
      offset: 0,
      limit: limit === undefined ? undefined : offset + limit,
    }
    const found = [...one.rank(wide), ...other.rank({ ...wide, isPlain: false })]
    const isPlainScore = question.columns === undefined && question.prefix !== true
    const scored = isPlainScore ? rescore(question.words, found, { one, other, countTerms }) : found
    return scored.sort(byRank(ties)).slice(offset, limit === undefined ? undefined : offset + limit)
  }
}

function rescore(
  words: readonly string[],
  found: readonly RankedText[],
  { one, other, countTerms }: JointStores,
): RankedText[] {
  const terms = words.flatMap((word) => tokenize(word))
  const first = one.totals()
  const second = other.totals()
  const rows = first.rows + second.rows
  const all = first.terms + second.terms
  const average = rows > 0 && all > 0 ? all / rows : 1
  const inOne = one.frequencies(terms)
  const inOther = other.frequencies(terms)
  const weights = terms.map((term) => {
    const n = (inOne.get(term) ?? 0) + (inOther.get(term) ?? 0)
    const rarity = Math.log((rows - n + 0.5) / (n + 0.5))
    return rarity > 0 ? rarity : 1e-6
  })
  const { counts, sizes } = countTerms(
    found.map(({ seq }) => seq),
    terms,
  )
  return found.map((match, i) => {
    const base = k1 * (1 - b + (b * (sizes[i] ?? 0)) / average)
    const has = terms.filter((_, j) => (counts[i * terms.length + j] ?? 0) > 0)
    const score = terms.reduce((sum, _, j) => {
      const n = counts[i * terms.length + j] ?? 0
      return n === 0 ? sum : sum + (weights[j] ?? 0) * ((n * (k1 + 1)) / (n + base))
    }, 0)
    return { ...match, score, has: [...new Set(has)] }
  })
}
