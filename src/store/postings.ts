// The text index once more, in memory: from a term to the documents that have it. Derived from what FTS5 holds.
// Invariant: a document's number is above those of all documents that came before it, also when its record changes.
import {
  addPosting,
  compactPostings,
  createPostingList,
  documentFrequency,
  type PostingList,
} from './posting-list.ts'

export interface Postings {
  /** Takes in the terms of a record, in any order and with repeats. What the record had before goes. */
  set(seq: number, terms: readonly string[]): void
  remove(seq: number): void
  list(term: string): PostingList | undefined
  /** In how many records the term is. */
  frequency(term: string): number
  /** How many terms each document has; 0 when it was removed. */
  sizes(): Uint32Array
  /** The record of a document. */
  seqOf(document: number): number
  /** How many numbers are taken, removed documents included. */
  documents(): number
  records(): number
  /** About how much memory this takes. */
  sizeBytes(): number
}

/** When this many documents were removed, and they are this share of all, their entries are dropped. */
const compaction = { least: 1000, share: 0.25 } as const
/** What the engine takes for a term beside its entries, and for a record beside its two numbers: rounded up. */
const overhead = { term: 260, record: 48 } as const

export function createPostings(): Postings {
  const lists = new Map<string, PostingList>()
  const documentOf = new Map<number, number>()
  let sizes = new Uint32Array(1024)
  let seqs = new Float64Array(1024)
  let count = 0
  let removed = 0
  /** Grows with each removal and starts anew with each compaction, as the lists do. */
  let removals = 0
  let capacity = 0

  const remove = (seq: number) => {
    const document = documentOf.get(seq)
    if (document === undefined) return
    documentOf.delete(seq)
    sizes[document] = 0
    removed += 1
    removals += 1
    if (removed >= compaction.least && removed >= count * compaction.share) compact()
  }

  const compact = () => {
    const renamed = new Int32Array(count).fill(-1)
    let next = 0
    for (let document = 0; document < count; document++) {
      if (sizes[document] === 0) continue
      sizes[next] = sizes[document] as number
      seqs[next] = seqs[document] as number
      documentOf.set(seqs[next] as number, next)
      renamed[document] = next++
    }
    count = next
    removed = removals = capacity = 0
    for (const [term, list] of lists) {
      if (compactPostings(list, renamed)) capacity += list.length
      else lists.delete(term)
    }
  }

  const add = (document: number, term: string, frequency: number, size: number) => {
    let list = lists.get(term)
    if (!list) lists.set(term, (list = { ...createPostingList(), removals }))
    const before = list.length === 0 ? 0 : list.entries.length
    addPosting(list, document, frequency, size)
    capacity += list.entries.length - before
  }

  return {
    set(seq, terms) {
      remove(seq)
      if (terms.length === 0) return
      if (count === sizes.length) {
        const [more, moreSeqs] = [new Uint32Array(count * 2), new Float64Array(count * 2)]
        more.set(sizes)
        moreSeqs.set(seqs)
        sizes = more
        seqs = moreSeqs
      }
      const document = count++
      const frequencies = new Map<string, number>()
      for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
      for (const [term, frequency] of frequencies) add(document, term, frequency, terms.length)
      sizes[document] = terms.length
      seqs[document] = seq
      documentOf.set(seq, document)
    },
    remove,
    list: (term) => lists.get(term),
    frequency(term) {
      const list = lists.get(term)
      return list ? documentFrequency(list, removals, sizes) : 0
    },
    sizes: () => sizes,
    seqOf: (document) => seqs[document] as number,
    documents: () => count,
    records: () => documentOf.size,
    sizeBytes: () => capacity * 4 + lists.size * overhead.term + count * overhead.record + sizes.length * 12,
  }
}
