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
import type { ComposableQueryStore, QueryStore } from '../query/query-store.ts'
import { takeSnapshot, type SnapshotEntry } from '../record/snapshot.ts'
import type { TermCounts } from '../query/evidence.ts'
import { searchText } from '../query/text-search.ts'
import { joinRunSpans } from '../query/tally.ts'
import { compareByRank, type RankedRecord, type RankQuery, type TextRank } from '../query/text-rank.ts'
import { gainOf, lengthNormOf, termWeight } from '../posting/bm25.ts'
import { tokenize } from '../word/tokenize.ts'

export interface JointQueryDeps {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly bodies: Bodies
  readonly zone: Zone
  readonly main: ComposableQueryStore
  /**
   * The store of decrypted records, up to date; undefined without any. `isWithin`: inside a transaction; default: if the
   * read includes its writes.
   */
  openedStore(isWithin?: boolean): ComposableQueryStore | undefined
  /** The sealed records that can't be decrypted here, grouped. */
  listUnreadGroups(): readonly UnreadGroup[]
  isDecrypted(seq: number): boolean
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

export function createJointQueries(parts: JointQueryDeps): BookQueries {
  const { main, openedStore } = parts
  // An object literal, because callers spread it.
  return {
    within: (narrower) =>
      createJointQueries({
        ...parts,
        main: main.within(narrower),
        openedStore: (isWithin) => openedStore(isWithin)?.within(narrower),
        reach: narrower,
      }),
    ...textQueries(parts),
    ...recordQueries(parts),
    ...countQueries(parts),
    ...snapshotQueries(parts),
  }
}

type QueryMethods<Name extends keyof BookQueries> = Pick<BookQueries, Name>

/** A function that asks the book only, or both stores and joins the answers when sealed records are decrypted. */
const createAskBoth =
  ({ main, openedStore }: JointQueryDeps) =>
  <Answer>(
    ask: (store: ComposableQueryStore) => Answer,
    join: (one: Answer, other: Answer) => Answer,
  ): Answer => {
    const other = openedStore()
    return other ? join(ask(main), ask(other)) : ask(main)
  }

function textQueries(
  parts: JointQueryDeps,
): QueryMethods<
  'query' | 'search' | 'candidates' | 'frequencies' | 'completion' | 'similarTerms' | 'termCounts'
> {
  const { kinds, main, openedStore, reach } = parts
  const askBoth = createAskBoth(parts)
  const termCounts = (seqs: readonly number[], terms: readonly string[]): TermCounts =>
    askBoth((store) => store.termCounts(seqs, terms), addCounts)
  const rank = (other: ComposableQueryStore) => createJointRank(main, other, termCounts)
  return {
    query(query) {
      const other = openedStore()
      if (!other) return main.query(query)
      const { offset = 0, limit = 100 } = query
      const wide = { ...query, offset: 0, limit: offset + limit }
      const findSeqById = (id: string) => main.findSeqById(id) ?? other.findSeqById(id)
      // Each page has one row more than its limit when more rows follow: then the joined page has a cursor.
      const one = main.page(wide, findSeqById)
      const two = other.page(wide, findSeqById)
      const rows = mergeRows(one.rows, two.rows, one.keys).slice(offset, offset + limit + 1)
      return toPage({ rows, keys: one.keys }, limit, reach !== undefined)
    },
    search(query) {
      const other = openedStore()
      if (!other) return main.search(query)
      const where = main.searchWhere(query)
      const records = (seqs: readonly number[]) => [...main.rows(seqs), ...other.rows(seqs)]
      const kind = query.kind === undefined ? undefined : kinds.get(query.kind)
      return searchText({ rank: rank(other), records, zone: parts.zone }, kind, where, query)
    },
    candidates(query) {
      const other = openedStore()
      if (!other) return main.candidates(query)
      const { words, match, limit, ...scope } = query
      return rank(other)({ words, match, ...main.scope(scope), isPlain: false, ties: 'happened', limit }).map(
        (one, i) => ({ ...one, rank: i + 1 }),
      )
    },
    frequencies: (words) => askBoth((store) => store.frequencies(words), addNumberMaps),
    completion(prefix) {
      const found = [main, openedStore()].flatMap((store) => store?.completion(prefix) ?? [])
      if (found.length < 2) return found[0]
      const counts = askBoth((store) => store.frequencies(found), addNumberMaps)
      return found.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1))[0]
    },
    similarTerms: (term, most) => askBoth((store) => store.similarTerms(term, most), addNumberMaps),
    termCounts,
  }
}

function recordQueries(
  parts: JointQueryDeps,
): QueryMethods<
  | 'matching'
  | 'rankWeights'
  | 'neighbours'
  | 'read'
  | 'names'
  | 'seqsInScope'
  | 'citing'
  | 'findVisibleIds'
  | 'listVisible'
  | 'mayBeVisible'
  | 'isDisplaced'
> {
  const { db, main, openedStore, reach } = parts
  const askBoth = createAskBoth(parts)
  /** The store of decrypted records, inside a transaction, with all rows derived. */
  const openedWithin = () => {
    const other = openedStore(true)
    // Lets its projection catch up.
    other?.indexedCount()
    return other
  }
  return {
    matching: (seqs, scope) => askBoth((store) => store.matching(seqs, scope), joinSets),
    rankWeights: (seqs, scope) => askBoth((store) => store.rankWeights(seqs, scope), joinMaps),
    neighbours: (seqs, scope) => askBoth((store) => store.neighbours(seqs, scope), joinMaps),
    read: (seqs) => askBoth((store) => store.read(seqs), joinMaps),
    names: (seqs) => askBoth((store) => store.names(seqs), joinMaps),
    seqsInScope: (scope) => askBoth((store) => store.seqsInScope(scope), joinLists),
    citing: (id) => [...main.citing(id), ...(openedWithin()?.citing(id) ?? [])],
    findVisibleIds: (ids) =>
      new Set([...main.findVisibleIds(ids), ...(openedWithin()?.findVisibleIds(ids) ?? [])]),
    listVisible(query) {
      // `made`: also records that were made from `ids`. Only the owner gets these.
      const wide =
        query.made && query.ids && !reach ? { ...query, ids: withDerivedIds(db, query.ids) } : query
      const found = askBoth(
        (store) => store.listVisible(wide),
        (one, other) => [...one, ...other].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      )
      return found.slice(0, query.limit)
    },
    // The book's store says true for a sealed record too, because it has no hot columns there.
    mayBeVisible: (id) => main.mayBeVisible(id),
    isDisplaced: (id) => main.isDisplaced(id) || openedWithin()?.isDisplaced(id) === true,
  }
}

function countQueries(
  parts: JointQueryDeps,
): QueryMethods<
  'count' | 'totals' | 'indexedCount' | 'usage' | 'timeExtents' | 'runs' | 'countsByKind' | 'unread'
> {
  const { db, kinds, main, reach } = parts
  const askBoth = createAskBoth(parts)
  return {
    count: (query) => askBoth((store) => store.count(query), addBuckets),
    totals: () =>
      askBoth(
        (store) => store.totals(),
        (one, other) => ({ rows: one.rows + other.rows, terms: one.terms + other.terms }),
      ),
    indexedCount: () =>
      askBoth(
        (store) => store.indexedCount(),
        (one, other) => one + other,
      ),
    usage: () =>
      askBoth(
        (store) => store.usage(),
        (one, other) => ({ bytes: one.bytes + other.bytes, pending: one.pending + other.pending }),
      ),
    timeExtents: () => askBoth((store) => store.timeExtents(), joinExtents),
    runs: (query) => askBoth((store) => store.runs(query), joinRunSpans),
    countsByKind: () =>
      reach
        ? askBoth((store) => store.countsByKind(), addNumberRecords)
        : // The owner's counts include records that can't be decrypted.
          addNumberRecords(main.countsByKind(), countSealed(db)),
    unread: (scope) => countUnread(parts.listUnreadGroups(), scope, { kinds, reach }),
  }
}

function snapshotQueries({
  db,
  kinds,
  bodies,
  main,
  openedStore,
  isDecrypted,
  reach,
}: JointQueryDeps): QueryMethods<'snapshot'> {
  /** A snapshot whose sealed bodies stay in their stored form. */
  const sealedSnapshot = (query: SnapshotQuery) => {
    const sealed = listUnread(db, () => false, query)
    const counts = { sealed: sealed.length, locked: sealed.length, areAllReadable: false }
    return takeSnapshot(db, mergeById(main.listSnapshot(query), sealed), counts)
  }
  /** How many sealed records of the kinds `names` are not decrypted. */
  const countLocked = (names: readonly string[], other: ComposableQueryStore | undefined): number => {
    const all = countSealed(db)
    const readable = other?.countsByKind() ?? {}
    // Don't count marks: they go with the marked records.
    const counted = names.filter((name) => kinds.get(name)?.marks === undefined)
    return counted.reduce((sum, name) => sum + (all[name] ?? 0) - (readable[name] ?? 0), 0)
  }
  return {
    // `keepSealed`: nothing is opened. `includeSealed` false: without sealed records. `includeUnreadable`: also those
    // without a key here, each with its sealed body.
    snapshot(query) {
      if (query.keepSealed && !reach) return sealedSnapshot(query)
      const other = query.includeSealed === false ? undefined : openedStore()
      const sealed = other ? [...other.listSnapshot(query)] : []
      // Don't tell a guest about records that it can't read.
      const locked = reach || query.includeSealed === false ? 0 : countLocked(query.kinds, other)
      const unread = query.includeUnreadable && locked > 0 ? listUnread(db, isDecrypted, query) : []
      const listed = mergeById(mergeById(main.listSnapshot(query), sealed), unread)
      return takeSnapshot(db, listed, {
        bodies,
        sealed: sealed.length,
        locked,
        areAllReadable: unread.length === 0,
      })
    },
  }
}

/** `ids`, and the ids of all records that were made from these, directly or indirectly. */
function withDerivedIds(db: SqlDatabase, ids: readonly string[]): string[] {
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
function* mergeById(
  first: Iterable<SnapshotEntry>,
  second: readonly SnapshotEntry[],
): Generator<SnapshotEntry> {
  let at = 0
  for (const entry of first) {
    for (let next = second[at]; next && next.id < entry.id; next = second[++at]) yield next
    yield entry
  }
  yield* second.slice(at)
}

function joinMaps<Value>(one: Map<number, Value>, other: Map<number, Value>): Map<number, Value> {
  return new Map([...one, ...other])
}

function joinSets<Value>(one: ReadonlySet<Value>, other: ReadonlySet<Value>): ReadonlySet<Value> {
  return new Set([...one, ...other])
}

function joinLists<Value>(one: readonly Value[], other: readonly Value[]): Value[] {
  return [...one, ...other]
}

function addNumberMaps(one: Map<string, number>, other: Map<string, number>): Map<string, number> {
  const sum = new Map(one)
  for (const [key, n] of other) sum.set(key, n + (sum.get(key) ?? 0))
  return sum
}

function addNumberRecords(
  one: Record<string, number>,
  other: Record<string, number>,
): Record<string, number> {
  return Object.fromEntries(addNumberMaps(new Map(Object.entries(one)), new Map(Object.entries(other))))
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

type CountTerms = (seqs: readonly number[], terms: readonly string[]) => TermCounts

interface RankedStores {
  readonly main: ComposableQueryStore
  readonly opened: ComposableQueryStore
  readonly countTerms: CountTerms
}

/** Ranks the matches of both stores as one list, with scores by the word frequencies of both. */
function createJointRank(
  main: ComposableQueryStore,
  opened: ComposableQueryStore,
  countTerms: CountTerms,
): TextRank {
  return (question) => {
    const { offset = 0, limit, ties } = question
    const wide: RankQuery = {
      ...question,
      offset: 0,
      limit: limit === undefined ? undefined : offset + limit,
    }
    const found = [...main.rank(wide), ...opened.rank({ ...wide, isPlain: false })]
    const isPlainScore = question.columns === undefined && question.prefix !== true
    const scored = isPlainScore ? rescore(question.words, found, { main, opened, countTerms }) : found
    return scored.sort(compareByRank(ties)).slice(offset, limit === undefined ? undefined : offset + limit)
  }
}

function rescore(
  words: readonly string[],
  found: readonly RankedRecord[],
  { main, opened, countTerms }: RankedStores,
): RankedRecord[] {
  const terms = words.flatMap((word) => tokenize(word))
  const mainTotals = main.totals()
  const openedTotals = opened.totals()
  const rows = mainTotals.rows + openedTotals.rows
  const termCount = mainTotals.terms + openedTotals.terms
  const averageSize = rows > 0 && termCount > 0 ? termCount / rows : 1
  const mainFrequencies = main.frequencies(terms)
  const openedFrequencies = opened.frequencies(terms)
  const weights = terms.map((term) =>
    termWeight(rows, (mainFrequencies.get(term) ?? 0) + (openedFrequencies.get(term) ?? 0)),
  )
  const { counts, sizes } = countTerms(
    found.map(({ seq }) => seq),
    terms,
  )
  return found.map((match, i) => {
    const lengthNorm = lengthNormOf(sizes[i] ?? 0, averageSize)
    const matchedTerms = terms.filter((_, j) => (counts[i * terms.length + j] ?? 0) > 0)
    const score = terms.reduce((sum, _, j) => {
      const n = counts[i * terms.length + j] ?? 0
      return n === 0 ? sum : sum + (weights[j] ?? 0) * gainOf(n, lengthNorm)
    }, 0)
    return { ...match, score, matchedTerms: [...new Set(matchedTerms)] }
  })
}
