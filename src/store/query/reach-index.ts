// The words of the records in one guest's reach, in memory: the postings of a book that has nothing else.
// Invariant: work on a question never grows with what is out of reach. What is taken in, and when, depends on what was
// written, never on what is asked.
import type { Zone } from '../../core/calendar/zone.ts'
import type { Kinds } from '../../core/kind.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { conditionOf } from '../condition/condition.ts'
import { FarBehind, type Projection } from '../record/projection.ts'
import type { Fragment } from '../schema/column.ts'
import { createDerivedReader } from '../posting/derived.ts'
import type { IndexTotals } from '../posting/index-totals.ts'
import { renamedPostings } from '../posting/posting-list.ts'
import { createPostingSearch } from '../posting/posting-search.ts'
import { createPostings, type Postings } from '../posting/postings.ts'
import type { TextIndex } from '../posting/text-index.ts'

/** What a question asks of words in memory. */
export type WordIndex = Pick<TextIndex, 'covers' | 'search' | 'totals' | 'frequencies' | 'warm'>

export interface ReachIndexes {
  /** The index of what satisfies all of `bounds`. */
  within(bounds: readonly Fragment[]): WordIndex
}

/** How much memory the words of all guests may take, in bytes. A reach with more is asked of FTS5. */
const budget = { device: 150_000_000, mirror: 32_000_000 } as const

export interface ReachIndexParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly projection: Projection
  readonly zone?: Zone | undefined
  /** The words of all records, if they are in memory: copied from there, they need not be parted again. */
  readonly all?: TextIndex | undefined
  readonly role: keyof typeof budget
}

interface ReachIndex extends WordIndex {
  sizeBytes(): number
  changed(seq: number): void
}

export function createReachIndexes(parts: ReachIndexParts): ReachIndexes {
  /** The one that was asked last comes last. */
  const indexes = new Map<string, ReachIndex>()
  /** Reaches whose words alone take more memory than there is. */
  const tooLarge = new Set<string>()
  parts.projection.watch((seq) => {
    for (const index of indexes.values()) index.changed(seq)
  })

  const keepWithinBudget = (latest: string) => {
    let bytes = [...indexes.values()].reduce((sum, index) => sum + index.sizeBytes(), 0)
    for (const [key, index] of indexes) {
      if (bytes <= budget[parts.role]) return
      indexes.delete(key)
      bytes -= index.sizeBytes()
      if (key === latest) tooLarge.add(key)
    }
  }

  return {
    within(bounds) {
      const key = JSON.stringify(bounds)
      const warm = (): ReachIndex | undefined => {
        if (tooLarge.has(key)) return undefined
        const index = indexes.get(key) ?? createReachIndex(parts, bounds)
        indexes.delete(key)
        indexes.set(key, index)
        if (!index.warm()) return undefined
        keepWithinBudget(key)
        return indexes.get(key)
      }
      return {
        covers: () => false,
        warm: () => warm()?.warm(),
        totals: () => warm()?.totals() ?? { rows: 0, terms: 0 },
        search: (terms, limit) => warm()?.search(terms, limit),
        frequencies: (terms) => warm()?.frequencies(terms),
      }
    },
  }
}

/** How many records are looked at in one go. */
const batch = 500

function createReachIndex(
  { db, kinds, projection, zone, all }: ReachIndexParts,
  bounds: readonly Fragment[],
): ReachIndex {
  const records = createDerivedReader({ db, kinds, zone, bounds })
  let postings = createPostings()
  let find = createPostingSearch(postings)
  /** Records up to here are taken in, but for those in `changed`. */
  let cursor = 0
  const changed = new Set<number>()
  let counted: IndexTotals | undefined

  const begin = (made: Postings, upTo: number) => {
    postings = made
    find = createPostingSearch(postings)
    cursor = upTo
    changed.clear()
    counted = undefined
  }

  const copyAll = (): boolean => {
    const whole = all?.warm()
    if (!whole) return false
    const { condition, params, records: join } = conditionOf(bounds)
    const rows = db.all<{ seq: number }>(`SELECT f.seq FROM facets f ${join} WHERE ${condition}`, params)
    begin(copyOf(whole, new Set(rows.map(({ seq }) => seq))), projection.derivedSeq())
    return true
  }

  /** What was made from a record that changed may have come into reach by that, or left it. */
  const noteMade = (from: string, params: readonly (string | number)[]) => {
    const rows = db.all<{ seq: number }>(
      `WITH RECURSIVE down (seq) AS (${from} UNION SELECT s.seq FROM down
         JOIN records r ON r.seq = down.seq JOIN sources s ON s.source = r.id) SELECT seq FROM down`,
      params,
    )
    for (const { seq } of rows) if (seq <= cursor) changed.add(seq)
  }

  const takeChanged = (limit: number) => {
    counted = undefined
    const seqs = [...changed].slice(0, limit)
    for (const seq of seqs) postings.remove(seq)
    records.takeThese(postings, seqs)
    for (const seq of seqs) changed.delete(seq)
  }

  /** Takes some of what is missing in; true when more is. */
  const step = (limit: number): boolean => {
    // What a transaction has derived may still be undone.
    if (projection.isBehind()) return false
    const upTo = projection.derivedSeq()
    if (upTo < cursor) begin(createPostings(), 0)
    if (changed.size > 0) takeChanged(limit)
    else if (cursor < upTo) {
      const to = Math.min(upTo, cursor + limit)
      counted = undefined
      noteMade('SELECT seq FROM records WHERE seq > ? AND seq <= ?', [cursor, to])
      records.takeAfter(postings, cursor, { upTo: to, limit })
      cursor = to
    }
    return changed.size > 0 || cursor < projection.derivedSeq()
  }

  const warm = (): Postings | undefined => {
    if (projection.isBehind()) return undefined
    if (projection.derivedSeq() < cursor || (cursor === 0 && projection.derivedSeq() > 0)) copyAll()
    if (changed.size > 0) noteMade('SELECT value AS seq FROM json_each(?)', [JSON.stringify([...changed])])
    const missing = projection.derivedSeq() - cursor + changed.size
    if (missing > projection.patience()) throw new FarBehind(missing, (limit) => (step(limit) ? limit : 0))
    while (step(batch));
    return postings
  }

  const totals = (): IndexTotals => {
    counted ??= {
      rows: postings.records(),
      terms: postings
        .sizes()
        .subarray(0, postings.documents())
        .reduce((sum, size) => sum + size, 0),
    }
    return counted
  }

  return {
    covers: () => false,
    warm,
    totals,
    search: (terms, limit) => (postings.records() === 0 ? [] : find(terms, totals(), limit)),
    frequencies: (terms) => new Map(terms.map((term) => [term, postings.frequency(term)])),
    sizeBytes: () => postings.sizeBytes(),
    changed(seq) {
      if (seq <= cursor) changed.add(seq)
    },
  }
}

/** Of `whole`, the documents of these records, without a trace of any other. */
function copyOf(whole: Postings, seqs: ReadonlySet<number>): Postings {
  const copy = createPostings()
  const sizes = whole.sizes()
  const { threads } = whole
  const renamed = new Int32Array(whole.documents()).fill(-1)
  for (let document = 0; document < renamed.length; document++) {
    const size = sizes[document] as number
    const seq = whole.seqOf(document)
    if (size === 0 || !seqs.has(seq)) continue
    renamed[document] = copy.documents()
    const session = threads.sessionOf(document)
    copy.append(seq, size, {
      session: session === 0 ? undefined : threads.nameOf(session),
      at: threads.atOf(document),
      isPlain: whole.isPlain(document),
      isLight: whole.isLight(document),
    })
  }
  for (const term of whole.terms()) {
    const list = whole.list(term)
    const own = list && renamedPostings(list, renamed)
    if (own && own.live > 0) copy.adopt(term, own)
  }
  return copy
}
