// One answer of two stores: of what lies in clear in the book, and of what is sealed there and
// was opened in memory.
// Invariant: while nothing is opened every answer is the book's own; else orders, counts and ranks are those of one book,
// but for neighbours in a session, which each store looks for among its own records.
import type { Count, Extent, UnreadScope } from '../../core/capability/port/record-port.ts'
import type { SnapshotQuery } from '../../core/capability/transfer.ts'
import type { Zone } from '../../core/calendar/zone.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { Reach } from '../../core/access/reach.ts'
import type { Bodies } from '../record/bodies.ts'
import { rankTogether } from './joint-rank.ts'
import { countUnread, listUnread, type UnreadGroup } from './unread.ts'
import { mergeRows, toPage } from '../query/query-page.ts'
import type { QueryParts, QueryStore } from '../query/query-store.ts'
import { takeSnapshot, type SnapshotEntry } from '../record/snapshot.ts'
import type { TermCounts } from '../query/evidence.ts'
import { searchText } from '../query/text-search.ts'
import { joinRunSpans } from '../query/run-spans.ts'

export interface JointQueryParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly bodies: Bodies
  readonly zone: Zone
  readonly main: QueryParts
  /** The questions over the opened records, caught up; `within`: inside a transaction. */
  opened(within?: boolean): QueryParts | undefined
  /** Sealed records that can't be read here. */
  unread(): readonly UnreadGroup[]
  isOpened(seq: number): boolean
  /** What a guest sees: its cursors carry ids, and no number tells it of anything else. */
  readonly reach?: Reach
}

/** The questions of a whole book. */
export interface BookQueries extends QueryStore {
  within(reach: Reach): BookQueries
  /** How many sealed records of that sort can't be read here, of those that the asker may know of. */
  unread(scope: UnreadScope): number
}

export function createJointQueries(parts: JointQueryParts): BookQueries {
  const { db, kinds, bodies, main, opened, reach } = parts
  /** `own` of the book alone while nothing is opened, else what `both` makes of the two. */
  const either = <Answer>(
    own: (store: QueryParts) => Answer,
    both: (one: Answer, other: Answer) => Answer,
  ): Answer => {
    const other = opened()
    return other ? both(own(main), own(other)) : own(main)
  }
  const kindOf = (name: string | undefined): Kind | undefined =>
    name === undefined ? undefined : kinds.get(name)
  const rank = (other: QueryParts) => rankTogether(main, other, termCounts)
  const termCounts = (seqs: readonly number[], terms: readonly string[]): TermCounts =>
    either((store) => store.termCounts(seqs, terms), addCounts)

  /** Without the means to open a body, so that each is given as it lies. */
  const sealedSnapshot = (query: SnapshotQuery) => {
    const sealed = listUnread(db, () => false, query)
    const parts = { sealed: sealed.length, locked: sealed.length, isWhole: false }
    return takeSnapshot(db, inOrder(main.listed(query), sealed), parts)
  }

  /** Sealed records of these kinds that are not opened. */
  const countLocked = (names: readonly string[], other: QueryParts | undefined): number => {
    const all = countSealed(db)
    const readable = other?.counts() ?? {}
    // Marks lie with what they mark, which is counted.
    const counted = names.filter((name) => kinds.get(name)?.marks === undefined)
    return counted.reduce((sum, name) => sum + (all[name] ?? 0) - (readable[name] ?? 0), 0)
  }

  return {
    within: (narrower) =>
      createJointQueries({
        ...parts,
        main: main.within(narrower),
        opened: (within) => opened(within)?.within(narrower),
        reach: narrower,
      }),
    query(asked) {
      const other = opened()
      if (!other) return main.query(asked)
      const { offset = 0, limit = 100 } = asked
      const wide = { ...asked, offset: 0, limit: offset + limit }
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
      return searchText({ rank: rank(other), records, zone: parts.zone }, kindOf(query.kind), where, query)
    },
    candidates(query) {
      const other = opened()
      if (!other) return main.candidates(query)
      const { words, match, limit, ...scope } = query
      return rank(other)({ words, match, ...main.scope(scope), isPlain: false, ties: 'happened', limit }).map(
        (one, i) => ({ ...one, rank: i + 1 }),
      )
    },
    count: (query) => either((store) => store.count(query), addBuckets),
    matching: (seqs, scope) => either((store) => store.matching(seqs, scope), joinMaps),
    weigh: (seqs, scope) => either((store) => store.weigh(seqs, scope), joinMaps),
    places: (seqs, scope) => either((store) => store.places(seqs, scope), joinMaps),
    read: (seqs) => either((store) => store.read(seqs), joinMaps),
    frequencies: (words) => either((store) => store.frequencies(words), addMaps),
    begun(beginning) {
      const found = [main, opened()].flatMap((store) => store?.begun(beginning) ?? [])
      if (found.length < 2) return found[0]
      const counts = either((store) => store.frequencies(found), addMaps)
      return found.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1))[0]
    },
    resembling: (term, most) => either((store) => store.resembling(term, most), addMaps),
    named: (seqs) => either((store) => store.named(seqs), joinMaps),
    termCounts,
    totals: () =>
      either(
        (store) => store.totals(),
        (one, other) => ({ rows: one.rows + other.rows, terms: one.terms + other.terms }),
      ),
    reach: (scope) =>
      either(
        (store) => store.reach(scope),
        (one, other) => [...one, ...other],
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
    counts() {
      if (reach) return either((store) => store.counts(), addRecords)
      // The owner hears of what is locked, too.
      return addRecords(main.counts(), countSealed(db))
    },
    citing(id) {
      const other = opened(true)
      return other ? [...main.citing(id), ...caughtUp(other).citing(id)] : main.citing(id)
    },
    held(ids) {
      const other = opened(true)
      const held = main.held(ids)
      return other ? new Set([...held, ...caughtUp(other).held(ids)]) : held
    },
    reached(asked) {
      const query = asked.made && asked.ids && !reach ? { ...asked, ids: withMade(db, asked.ids) } : asked
      const found = either(
        (store) => store.reached(query),
        (one, other) => [...one, ...other].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      )
      return found.slice(0, query.limit)
    },
    mayHold: (id) => main.mayHold(id),
    isDisplaced(id) {
      const other = opened(true)
      return main.isDisplaced(id) || (other !== undefined && caughtUp(other).isDisplaced(id))
    },
    unread: (scope) => countUnread(parts.unread(), scope, { kinds, reach }),
    snapshot(query) {
      if (query.asSealed && !reach) return sealedSnapshot(query)
      const other = query.sealed === false ? undefined : opened()
      const sealed = other ? [...other.listed(query)] : []
      // A guest hears of nothing that it can't read.
      const locked = reach || query.sealed === false ? 0 : countLocked(query.kinds, other)
      const unread = query.unread && locked > 0 ? listUnread(db, parts.isOpened, query) : []
      const listed = inOrder(inOrder(main.listed(query), sealed), unread)
      return takeSnapshot(db, listed, { bodies, sealed: sealed.length, locked, isWhole: unread.length === 0 })
    },
  }
}

/** `ids` and those of all that was made from them, however far. */
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

const caughtUp = (store: QueryParts): QueryParts => {
  store.size()
  return store
}

/** Live sealed records of each kind, readable or not. */
export function countSealed(db: SqlDatabase): Record<string, number> {
  const rows = db.all<SqlRow & { kind: string; n: number }>(
    'SELECT kind, count(*) AS n FROM records WHERE kid IS NOT NULL AND deleted = 0 GROUP BY kind',
  )
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]))
}

/** Two lists of entries by id as one. */
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

function addMaps(one: Map<string, number>, other: Map<string, number>): Map<string, number> {
  const sum = new Map(one)
  for (const [key, n] of other) sum.set(key, n + (sum.get(key) ?? 0))
  return sum
}

function addRecords(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  return Object.fromEntries(addMaps(new Map(Object.entries(one)), new Map(Object.entries(other))))
}

/** A record stands in one of the two, and counts nothing in the other. */
function addCounts(one: TermCounts, other: TermCounts): TermCounts {
  return {
    sizes: one.sizes.map((size, i) => size + (other.sizes[i] ?? 0)),
    counts: one.counts.map((count, i) => count + (other.counts[i] ?? 0)),
  }
}

function addBuckets(one: Count, other: Count): Count {
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
