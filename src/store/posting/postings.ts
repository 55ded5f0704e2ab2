// The text index once more, in memory: from a term to the documents that have it. Derived from what FTS5 holds.
// Invariant: a document's number is above those of all documents that came before it, also when its record changes.
import {
  addPostings,
  compactPostings,
  countPosting,
  createPostingList,
  documentFrequency,
  listBytes,
  type PostingList,
} from './posting-list.ts'
import { createFreshLog } from './fresh-log.ts'
import { grown } from './grown.ts'
import { createThreads, type Threads } from './threads.ts'

/** What is kept of a record beside its terms, so that most questions need not ask the database for it. */
export interface RecordFacts {
  readonly session: string | undefined
  /** When it happened, milliseconds since 1970 UTC. */
  readonly at: number
  /** Every recall that is not narrowed may see it, at any time. */
  readonly isPlain: boolean
  /** It says nothing of how important, sure or pinned it is, and was never used. */
  readonly isLight: boolean
}

export interface Postings {
  /** Takes in the terms of a record, in any order and with repeats. What the record had before goes. */
  set(seq: number, terms: readonly string[], facts: RecordFacts): void
  remove(seq: number): void
  /** Takes in a record that has no document here and `size` terms; its document comes last. Its entries come by `expect`. */
  append(seq: number, size: number, facts: RecordFacts): void
  /** The list of a term, which is to get `more` entries of documents above those it has. */
  expect(term: string, more: number): PostingList
  /** Takes `list` in as that of a term which has none here. */
  adopt(term: string, list: PostingList): void
  list(term: string): PostingList | undefined
  /** Every term, in no order. */
  terms(): IterableIterator<string>
  /** In how many records the term is. */
  frequency(term: string): number
  /** How many terms each document has; 0 when it was removed. */
  sizes(): Uint32Array
  /** The record of a document. */
  seqOf(document: number): number
  /** The live document of a record, -1 when it has none. */
  documentOf(seq: number): number
  isPlain(document: number): boolean
  isLight(document: number): boolean
  readonly threads: Threads
  /** How many numbers are taken, removed documents included. */
  documents(): number
  records(): number
  /** About how much memory this takes. */
  sizeBytes(): number
}

/** When this many documents were removed, and they are this share of all, their entries are dropped. */
const compaction = { least: 1000, share: 0.25 } as const
/** What the engine takes for a term beside its entries: rounded up. */
const overhead = { term: 260 } as const
const plainFlag = 1
const lightFlag = 2

/** Is given the new numbers of documents, below 0 for those that went, and how many there are now. */
export type OnCompact = (renamed: Int32Array, count: number) => void

export function createPostings(onCompact?: OnCompact): Postings {
  /** By term: the number of its list. */
  let numbers = new Map<string, number>()
  let lists: PostingList[] = []
  const fresh = createFreshLog()
  /** By seq: the document and 1, 0 for none. Sequences are counted in this book, so they are dense. */
  let places = new Int32Array(1024)
  let live = 0
  let sizes = new Uint32Array(1024)
  let seqs = new Uint32Array(1024)
  let flags = new Uint8Array(1024)
  const threads = createThreads((document) => seqs[document] as number)
  let count = 0
  let removed = 0
  /** Grows with each removal and starts anew with each compaction, as the lists do. */
  let removals = 0
  /** What all lists take, and those that are being read will. */
  let bytes = 0

  const documentOf = (seq: number) => (places[seq] ?? 0) - 1

  const remove = (seq: number) => {
    const document = documentOf(seq)
    if (document < 0) return
    places[seq] = 0
    live -= 1
    sizes[document] = 0
    removed += 1
    removals += 1
    if (removed >= compaction.least && removed >= count * compaction.share) compact()
  }

  const compact = () => {
    takeAllFresh()
    const renamed = new Int32Array(count).fill(-1)
    let next = 0
    for (let document = 0; document < count; document++) {
      if (sizes[document] === 0) continue
      sizes[next] = sizes[document] as number
      seqs[next] = seqs[document] as number
      flags[next] = flags[document] as number
      places[seqs[next] as number] = next + 1
      renamed[document] = next++
    }
    threads.compact(renamed, next)
    count = next
    removed = 0
    removals = 0
    const kept = [...numbers].filter(([, number]) => compactPostings(lists[number] as PostingList, renamed))
    numbers = new Map(kept.map(([term], i) => [term, i]))
    lists = kept.map(([, number]) => lists[number] as PostingList)
    bytes = lists.reduce((sum, list) => sum + listBytes(list), 0)
    onCompact?.(renamed, next)
  }

  const numberOf = (term: string): number => {
    let number = numbers.get(term)
    if (number === undefined) {
      number = lists.push({ ...createPostingList(), removals }) - 1
      numbers.set(term, number)
    }
    return number
  }

  /** The list of a term with all that was added to it. */
  const listAt = (number: number): PostingList => {
    const list = lists[number] as PostingList
    fresh.drain(number, (entries) => {
      const before = listBytes(list)
      addPostings(list, entries, sizes)
      bytes += listBytes(list) - before
    })
    return list
  }

  const takeAllFresh = () => {
    for (const number of fresh.pending()) listAt(number)
  }

  const addAll = (document: number, terms: readonly string[]) => {
    if (!fresh.hasRoom(terms.length)) takeAllFresh()
    const overflowing = new Set<number>()
    for (const term of terms) {
      const number = numberOf(term)
      if (overflowing.size > 0 && overflowing.has(number))
        countPosting(listAt(number), document, terms.length)
      else if (!fresh.add(number, document)) {
        overflowing.add(number)
        countPosting(listAt(number), document, terms.length)
      }
    }
  }

  const grow = (seq: number) => {
    if (count === sizes.length) {
      sizes = grown(sizes, new Uint32Array(count * 2))
      seqs = grown(seqs, new Uint32Array(count * 2))
      flags = grown(flags, new Uint8Array(count * 2))
    }
    if (seq >= places.length) places = grown(places, new Int32Array(Math.max(seq + 1, places.length * 2)))
  }

  const append = (seq: number, size: number, facts: RecordFacts): number => {
    grow(seq)
    const document = count++
    sizes[document] = size
    seqs[document] = seq
    flags[document] = (facts.isPlain ? plainFlag : 0) | (facts.isLight ? lightFlag : 0)
    threads.add(document, facts.session, facts.at)
    places[seq] = document + 1
    live += 1
    return document
  }

  const listNamed = (term: string): PostingList | undefined => {
    const number = numbers.get(term)
    return number === undefined ? undefined : listAt(number)
  }

  return {
    set(seq, terms, facts) {
      remove(seq)
      // A record without a word counts as one of size 1: 0 says that a document was removed.
      const document = append(seq, Math.max(1, terms.length), facts)
      addAll(document, terms)
    },
    append,
    expect(term, more) {
      const list = listAt(numberOf(term))
      list.expected += more
      bytes += more * 2
      return list
    },
    adopt(term, list) {
      Object.assign(lists[numberOf(term)] as PostingList, list, { removals })
      bytes += listBytes(list)
    },
    remove,
    list: listNamed,
    terms: () => numbers.keys(),
    frequency(term) {
      const list = listNamed(term)
      return list ? documentFrequency(list, removals, sizes) : 0
    },
    sizes: () => sizes,
    seqOf: (document) => seqs[document] as number,
    documentOf,
    isPlain: (document) => ((flags[document] as number) & plainFlag) !== 0,
    isLight: (document) => ((flags[document] as number) & lightFlag) !== 0,
    threads,
    documents: () => count,
    records: () => live,
    sizeBytes: () =>
      bytes +
      lists.length * overhead.term +
      fresh.sizeBytes() +
      sizes.length * 9 +
      places.length * 4 +
      threads.sizeBytes(),
  }
}
