// Postings, the text index in memory: from a term to the documents that have it. A document is one state of a
// record; a changed record gets a new document.
// Invariant: a new document gets the highest number so far, also for a changed record.
import {
  addPostings,
  compactPostings,
  raiseLastPosting,
  createPostingList,
  documentFrequency,
  listBytes,
  type PostingList,
} from './posting-list.ts'
import { createTokenizer, type Tokenizer } from '../word/tokenize.ts'
import { WriteBuffer } from './write-buffer.ts'

/** Facts about a record besides its terms, so that most questions need no database. */
export interface RecordAttributes {
  readonly session: string | undefined
  /** When the record happened, in milliseconds since 1970 UTC. */
  readonly happenedAtMs: number
  /** True when every recall without a filter may return the record, at any time: see `plainSql`. */
  readonly isPlain: boolean
  /** True for a record without importance, confidence, pin and uses. */
  readonly isLight: boolean
}

/** A compaction follows when at least `min` documents, and `share` of all, are removed since the last one. */
const compaction = { min: 1000, share: 0.25 } as const
/** Memory of a term besides its entries, in bytes, rounded up. */
const termBytes = 260
const plainFlag = 1
const lightFlag = 2

/** `newNumbers`: the new number of each document, -1 for a dropped one. `count`: how many documents are left. */
export type OnCompact = (newNumbers: Int32Array, count: number) => void

export class Postings {
  readonly sessions: SessionOrder
  readonly #onCompact: OnCompact | undefined
  /** From a term to the number of its list. */
  #listNumbers = new Map<string, number>()
  #lists: PostingList[] = []
  /** From a text to the numbers of the lists of its terms. */
  #tokenizer: Tokenizer<number> | undefined
  readonly #buffer = new WriteBuffer()
  /** From a record number to its document plus 1; 0 for none. Record numbers have few gaps. */
  #documentPlusOne = new Int32Array(1024)
  #liveCount = 0
  /** See `sizes()`. */
  #sizes = new Uint32Array(1024)
  #seqs = new Uint32Array(1024)
  #flags = new Uint8Array(1024)
  #documentCount = 0
  /**
   * Removals since the last compaction: a list whose `removalsSeen` differs counts its live documents again.
   */
  #removals = 0
  /** Bytes of all lists, with room for expected entries. */
  #listsBytes = 0

  constructor(onCompact?: OnCompact) {
    this.#onCompact = onCompact
    this.sessions = new SessionOrder((document) => this.#seqs[document] as number)
  }

  /** Replaces the document of a record. `terms`: in any order, with repeats. */
  set(seq: number, terms: readonly string[], attributes: RecordAttributes): void {
    this.remove(seq)
    this.#addDocument(
      seq,
      terms.map((term) => this.#numberOf(term)),
      attributes,
    )
  }

  /** `set` with the terms of `texts`; returns how many terms they have. */
  setTexts(seq: number, texts: readonly string[], attributes: RecordAttributes): number {
    this.remove(seq)
    // A look-up of each term by its text would cost more than the rest of this method.
    this.#tokenizer ??= createTokenizer((term) => this.#numberOf(term))
    const numbers: number[] = []
    for (const text of texts) this.#tokenizer(text, numbers)
    this.#addDocument(seq, numbers, attributes)
    return numbers.length
  }

  remove(seq: number): void {
    const document = this.documentOf(seq)
    if (document < 0) return
    this.#documentPlusOne[seq] = 0
    this.#liveCount -= 1
    this.#sizes[document] = 0
    this.#removals += 1
    if (this.#removals >= compaction.min && this.#removals >= this.#documentCount * compaction.share)
      this.#compact()
  }

  /**
   * Adds a document of `size` terms and returns its number. Call it only for a record without a document; `readPostings` adds
   * its entries to the lists of `reserveEntries`.
   */
  append(seq: number, size: number, attributes: RecordAttributes): number {
    this.#grow(seq)
    const document = this.#documentCount++
    this.#sizes[document] = size
    this.#seqs[document] = seq
    this.#flags[document] = (attributes.isPlain ? plainFlag : 0) | (attributes.isLight ? lightFlag : 0)
    this.sessions.add(document, attributes.session, attributes.happenedAtMs)
    this.#documentPlusOne[seq] = document + 1
    this.#liveCount += 1
    return document
  }

  /** The list of a term. The caller will append `more` entries, of documents above all in the list. */
  reserveEntries(term: string, more: number): PostingList {
    const list = this.#listAt(this.#numberOf(term))
    list.expected += more
    // An entry of a packed list takes two bytes.
    this.#listsBytes += more * 2
    return list
  }

  /** Sets the list of a term. Call it only for a term without a list. */
  setList(term: string, list: PostingList): void {
    Object.assign(this.#lists[this.#numberOf(term)] as PostingList, list, { removalsSeen: this.#removals })
    this.#listsBytes += listBytes(list)
  }

  list(term: string): PostingList | undefined {
    const number = this.#listNumbers.get(term)
    return number === undefined ? undefined : this.#listAt(number)
  }

  /** All terms, unordered. */
  terms(): IterableIterator<string> {
    return this.#listNumbers.keys()
  }

  /** How many live documents have the term. */
  frequency(term: string): number {
    const list = this.list(term)
    return list ? documentFrequency(list, this.#removals, this.#sizes) : 0
  }

  /** From a document to how many terms it has; 0 for a removed one. */
  sizes(): Uint32Array {
    return this.#sizes
  }

  /** The record number of a document. */
  seqOf(document: number): number {
    return this.#seqs[document] as number
  }

  /** The live document of a record; -1 for none. */
  documentOf(seq: number): number {
    return (this.#documentPlusOne[seq] ?? 0) - 1
  }

  isPlain(document: number): boolean {
    return ((this.#flags[document] as number) & plainFlag) !== 0
  }

  isLight(document: number): boolean {
    return ((this.#flags[document] as number) & lightFlag) !== 0
  }

  /** How many documents there are, with removed ones: document numbers are below this. */
  documentCount(): number {
    return this.#documentCount
  }

  /** How many live documents there are. */
  recordCount(): number {
    return this.#liveCount
  }

  /** Estimated memory, in bytes. */
  sizeBytes(): number {
    return (
      this.#listsBytes +
      this.#lists.length * termBytes +
      this.#buffer.sizeBytes() +
      // A size, a record number and the flags.
      this.#sizes.length * (4 + 4 + 1) +
      this.#documentPlusOne.length * 4 +
      this.sessions.sizeBytes()
    )
  }

  #compact(): void {
    this.#drainAll()
    const sizes = this.#sizes
    const seqs = this.#seqs
    const newNumbers = new Int32Array(this.#documentCount).fill(-1)
    let next = 0
    for (let document = 0; document < newNumbers.length; document++) {
      if (sizes[document] === 0) continue
      sizes[next] = sizes[document] as number
      seqs[next] = seqs[document] as number
      this.#flags[next] = this.#flags[document] as number
      this.#documentPlusOne[seqs[next] as number] = next + 1
      newNumbers[document] = next++
    }
    this.sessions.compact(newNumbers, next)
    this.#documentCount = next
    this.#removals = 0
    const lists = this.#lists
    const used = [...this.#listNumbers].filter(([, number]) =>
      compactPostings(lists[number] as PostingList, newNumbers),
    )
    this.#listNumbers = new Map(used.map(([term], i) => [term, i]))
    this.#tokenizer = undefined
    this.#lists = used.map(([, number]) => lists[number] as PostingList)
    this.#listsBytes = this.#lists.reduce((sum, list) => sum + listBytes(list), 0)
    this.#onCompact?.(newNumbers, next)
  }

  /** The number of a term's list. A new term gets an empty list. */
  #numberOf(term: string): number {
    let number = this.#listNumbers.get(term)
    if (number === undefined) {
      number = this.#lists.push({ ...createPostingList(), removalsSeen: this.#removals }) - 1
      this.#listNumbers.set(term, number)
    }
    return number
  }

  /** A list, after the buffered entries of its term are appended. */
  #listAt(number: number): PostingList {
    this.#buffer.drain(number, (entries) => this.#addToList(number, entries))
    return this.#lists[number] as PostingList
  }

  #drainAll(): void {
    this.#buffer.drainAll((number, entries) => this.#addToList(number, entries))
  }

  #addToList(number: number, entries: Uint32Array): void {
    const list = this.#lists[number] as PostingList
    const before = listBytes(list)
    addPostings(list, entries, this.#sizes)
    this.#listsBytes += listBytes(list) - before
  }

  /** `numbers`: of the lists of its terms, in any order, with repeats. */
  #addDocument(seq: number, numbers: readonly number[], attributes: RecordAttributes): void {
    // A record without words gets size 1, because size 0 marks a removed document.
    const document = this.append(seq, Math.max(1, numbers.length), attributes)
    const buffer = this.#buffer
    if (!buffer.hasRoom(numbers.length)) this.#drainAll()
    // The lists whose last entry has a frequency that the buffer can't hold, and how often their term follows.
    const overflowing = new Map<number, number>()
    for (const number of numbers) {
      const more = overflowing.size > 0 ? overflowing.get(number) : undefined
      if (more !== undefined) overflowing.set(number, more + 1)
      else if (!buffer.add(number, document)) overflowing.set(number, 1)
    }
    for (const [number, times] of overflowing)
      raiseLastPosting(this.#listAt(number), { document, size: numbers.length, times })
  }

  #grow(seq: number): void {
    const count = this.#documentCount
    if (count === this.#sizes.length) {
      this.#sizes = copyTo(this.#sizes, new Uint32Array(count * 2))
      this.#seqs = copyTo(this.#seqs, new Uint32Array(count * 2))
      this.#flags = copyTo(this.#flags, new Uint8Array(count * 2))
    }
    const { length } = this.#documentPlusOne
    if (seq >= length)
      this.#documentPlusOne = copyTo(this.#documentPlusOne, new Int32Array(Math.max(seq + 1, length * 2)))
  }
}

/** `larger`, with `values` copied to its beginning. */
function copyTo<Values extends Numbers>(values: Values, larger: Values): Values {
  larger.set(values)
  return larger
}

interface Numbers extends ArrayLike<number> {
  set(values: ArrayLike<number>): void
}

interface Session {
  readonly name: string
  /** The documents by time, once `isSorted` is true. */
  documents: number[]
  isSorted: boolean
}

/**
 * Documents by session and time, so that the neighbours of a record are found without the database. A removed
 * document stays listed until the next compaction.
 * Invariant: the order is the same as by SQL, `(happened_at, seq)`.
 */
export class SessionOrder {
  readonly #seqOf: (document: number) => number
  readonly #numbers = new Map<string, number>()
  #sessions: Session[] = []
  /** From a document to the number of its session; 0 for none. */
  #sessionOf = new Uint32Array(1024)
  #times = new Float64Array(1024)
  #memberCount = 0

  /** `seqOf` returns the record number of a document. */
  constructor(seqOf: (document: number) => number) {
    this.#seqOf = seqOf
  }

  /** Adds a document, whose number is the highest so far, to its session. `at`: milliseconds since 1970 UTC. */
  add(document: number, name: string | undefined, at: number): void {
    this.#grow(document)
    this.#times[document] = at
    this.#sessionOf[document] = 0
    if (name === undefined) return
    let number = this.#numbers.get(name)
    if (number === undefined) {
      number = this.#sessions.push({ name, documents: [], isSorted: true })
      this.#numbers.set(name, number)
    }
    this.#sessionOf[document] = number
    const session = this.#sessions[number - 1] as Session
    const last = session.documents.at(-1)
    if (last !== undefined && this.#compare(last, document) > 0) session.isSorted = false
    session.documents.push(document)
    this.#memberCount += 1
  }

  /** The number of a document's session; 0 for none. */
  sessionOf(document: number): number {
    return this.#sessionOf[document] as number
  }

  /** The name of a session by its number. */
  nameOf(session: number): string {
    return this.#sessions[session - 1]?.name ?? ''
  }

  timeOf(document: number): number {
    return this.#times[document] as number
  }

  /** The live documents before and after a document in its session; -1 for none. */
  neighbours(
    document: number,
    isLive: (document: number) => boolean,
  ): readonly [before: number, after: number] {
    const session = this.#sessions[(this.#sessionOf[document] as number) - 1]
    if (!session) return [-1, -1]
    const { documents } = session
    if (!session.isSorted) {
      documents.sort((a, b) => this.#compare(a, b))
      session.isSorted = true
    }
    let low = 0
    let high = documents.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(documents[middle] as number, document) < 0) low = middle + 1
      else high = middle
    }
    // A changed record can have several documents with the same time and record number, of which one is live.
    while (documents[low] !== document) low += 1
    return [nextLive(documents, low, -1, isLive), nextLive(documents, low, 1, isLive)]
  }

  /** Follows a compaction of the documents: see `OnCompact`. */
  compact(newNumbers: Int32Array, count: number): void {
    newNumbers.forEach((to, from) => {
      if (to < 0) return
      this.#sessionOf[to] = this.#sessionOf[from] as number
      this.#times[to] = this.#times[from] as number
    })
    this.#memberCount = 0
    for (const session of this.#sessions) {
      session.documents = session.documents.flatMap((document) => {
        const to = newNumbers[document] as number
        return to < 0 ? [] : [to]
      })
      this.#memberCount += session.documents.length
    }
    if (count === 0) {
      this.#numbers.clear()
      this.#sessions = []
    }
  }

  sizeBytes(): number {
    return this.#sessionOf.length * 12 + this.#memberCount * 8 + this.#sessions.length * 200
  }

  #compare(a: number, b: number): number {
    return (this.#times[a] as number) - (this.#times[b] as number) || this.#seqOf(a) - this.#seqOf(b)
  }

  #grow(document: number): void {
    const { length } = this.#sessionOf
    if (document < length) return
    const size = Math.max(document + 1, length * 2)
    this.#sessionOf = copyTo(this.#sessionOf, new Uint32Array(size))
    this.#times = copyTo(this.#times, new Float64Array(size))
  }
}

/** The next live document after position `position`, in steps of `step`; -1 for none. */
function nextLive(
  documents: readonly number[],
  position: number,
  step: 1 | -1,
  isLive: (document: number) => boolean,
): number {
  for (let i = position + step; i >= 0 && i < documents.length; i += step)
    if (isLive(documents[i] as number)) return documents[i] as number
  return -1
}
