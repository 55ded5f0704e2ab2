// A write buffer for postings: new entries lie in memory in order of arrival, which is faster than to write into the
// list of each term. The entries of a term move to its list when the list is read.
// Invariant: the buffered entries of a term are sorted, and their documents are not below those in its list.
import { maxShortFrequency, shortFrequencyBits } from './posting-list.ts'

/** Most entries, which take 8 MB. */
const maxEntries = 1_048_576
const initialEntries = 1024

function enlarge(values: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size)
  larger.set(values)
  return larger
}

/** An entry is `document × 256 + frequency`. A term is given by the number of its list. */
export class WriteBuffer {
  #entries = new Uint32Array(initialEntries)
  /** For each entry: the position of the previous entry of its term, plus 1; 0 for none. */
  #previous = new Uint32Array(initialEntries)
  #length = 0
  /** For each term: the position of its last entry, plus 1; 0 for none. */
  #lastEntryOfTerm = new Uint32Array(initialEntries)
  /** How many terms have entries. */
  #termCount = 0

  hasRoom(count: number): boolean {
    return this.#length + count <= maxEntries
  }

  /**
   * Adds 1 to the frequency of `term` in `document`, which must not be below an earlier document. Call it when there
   * is room. False when the frequency would reach `maxShortFrequency`: then call `raiseLastPosting` of the list instead.
   */
  add(term: number, document: number): boolean {
    if (term >= this.#lastEntryOfTerm.length)
      this.#lastEntryOfTerm = enlarge(
        this.#lastEntryOfTerm,
        Math.max(term + 1, this.#lastEntryOfTerm.length * 2),
      )
    const last = this.#lastEntryOfTerm
    const end = last[term] as number
    if (end > 0) {
      const entries = this.#entries
      const entry = entries[end - 1] as number
      if (entry >>> shortFrequencyBits === document) {
        if ((entry & maxShortFrequency) >= maxShortFrequency - 1) return false
        entries[end - 1] = entry + 1
        return true
      }
    } else this.#termCount += 1
    const length = this.#length
    if (length === this.#entries.length) this.#grow()
    this.#entries[length] = document * 2 ** shortFrequencyBits + 1
    this.#previous[length] = end
    last[term] = this.#length = length + 1
    return true
  }

  /** Removes the entries of a term and passes them to `receive`, in order. Does nothing without entries. */
  drain(term: number, receive: (entries: Uint32Array) => void): void {
    const end = this.#lastEntryOfTerm[term] ?? 0
    if (end === 0) return
    const entries = this.#entries
    const previous = this.#previous
    let count = 0
    for (let at = end; at > 0; at = previous[at - 1] as number) count += 1
    const drained = new Uint32Array(count)
    for (let at = end; at > 0; at = previous[at - 1] as number) drained[--count] = entries[at - 1] as number
    this.#lastEntryOfTerm[term] = 0
    this.#termCount -= 1
    if (this.#termCount === 0) this.#clear()
    receive(drained)
  }

  /**
   * Removes all entries, and passes those of each term to `receive`, in order. It reads the memory from end to end: to
   * follow the chain of each term, as `drain` does, takes several times as long.
   */
  drainAll(receive: (term: number, entries: Uint32Array) => void): void {
    const entries = this.#entries
    const previous = this.#previous
    const last = this.#lastEntryOfTerm
    const length = this.#length
    /** For each entry: its term plus 1; 0 for a drained one. */
    const owners = new Uint32Array(length)
    last.forEach((end, term) => {
      if (end > 0) owners[end - 1] = term + 1
    })
    /** For each term: how many entries it has; then where they begin in `sorted`; last, where they end. */
    const places = new Uint32Array(last.length + 1)
    for (let at = length - 1; at >= 0; at--) {
      const owner = owners[at] as number
      if (owner === 0) continue
      places[owner] = (places[owner] as number) + 1
      const before = previous[at] as number
      if (before > 0) owners[before - 1] = owner
    }
    let count = 0
    places.forEach((more, owner) => {
      places[owner] = count
      count += more
    })
    const sorted = new Uint32Array(count)
    for (let at = 0; at < length; at++) {
      const owner = owners[at] as number
      if (owner === 0) continue
      const place = places[owner] as number
      sorted[place] = entries[at] as number
      places[owner] = place + 1
    }
    last.fill(0)
    this.#termCount = 0
    this.#clear()
    let from = 0
    places.forEach((to, owner) => {
      if (to > from) receive(owner - 1, sorted.subarray(from, to))
      from = to
    })
  }

  sizeBytes(): number {
    return this.#entries.length * 8 + this.#lastEntryOfTerm.length * 4
  }

  #grow(): void {
    const size = this.#entries.length * 2
    this.#entries = enlarge(this.#entries, size)
    this.#previous = enlarge(this.#previous, size)
  }

  #clear(): void {
    this.#length = 0
    if (this.#entries.length === initialEntries) return
    this.#entries = new Uint32Array(initialEntries)
    this.#previous = new Uint32Array(initialEntries)
  }
}
