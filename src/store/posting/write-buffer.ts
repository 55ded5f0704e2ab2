// A write buffer for postings: new entries lie in memory in order of arrival, which is faster than to write into the
// list of each term. The entries of a term move to its list when the list is read.
// Invariant: the buffered entries of a term are sorted, and their documents are not below those in its list.

/** Most entries, which take 8 MB. */
const most = 1_048_576
const least = 1024
const byte = 255

function enlarge(values: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size)
  larger.set(values)
  return larger
}

/** An entry has the short form of posting-list.ts: `document × 256 + frequency`. */
export class WriteBuffer {
  #entries = new Uint32Array(least)
  /** For each entry: the position of the previous entry of its term, plus 1; 0 for none. */
  #previous = new Uint32Array(least)
  #length = 0
  /** For each term: the position of its last entry, plus 1; 0 for none. */
  #last = new Uint32Array(least)
  /** How many terms have entries. */
  #terms = 0

  hasRoom(count: number): boolean {
    return this.#length + count <= most
  }

  /**
   * Adds 1 to the frequency of `term` in `document`, which must not be below an earlier document. Call it when there
   * is room. False when the frequency would reach 255: then call `countPosting` of the list instead.
   */
  add(term: number, document: number): boolean {
    if (term >= this.#last.length) this.#last = enlarge(this.#last, Math.max(term + 1, this.#last.length * 2))
    const last = this.#last
    const end = last[term] as number
    if (end > 0) {
      const entries = this.#entries
      const entry = entries[end - 1] as number
      if (entry >>> 8 === document) {
        if ((entry & byte) >= byte - 1) return false
        entries[end - 1] = entry + 1
        return true
      }
    } else this.#terms += 1
    const length = this.#length
    if (length === this.#entries.length) this.#grow()
    this.#entries[length] = document * 256 + 1
    this.#previous[length] = end
    last[term] = this.#length = length + 1
    return true
  }

  /** Removes the entries of a term and passes them to `take`, in order. Does nothing without entries. */
  drain(term: number, take: (entries: Uint32Array) => void): void {
    const end = this.#last[term] ?? 0
    if (end === 0) return
    const entries = this.#entries
    const previous = this.#previous
    let count = 0
    for (let at = end; at > 0; at = previous[at - 1] as number) count += 1
    const own = new Uint32Array(count)
    for (let at = end; at > 0; at = previous[at - 1] as number) own[--count] = entries[at - 1] as number
    this.#last[term] = 0
    this.#terms -= 1
    if (this.#terms === 0) this.#clear()
    take(own)
  }

  /** The terms with entries. */
  pending(): number[] {
    const all: number[] = []
    const last = this.#last
    for (let term = 0; all.length < this.#terms; term++) if ((last[term] as number) > 0) all.push(term)
    return all
  }

  sizeBytes(): number {
    return this.#entries.length * 8 + this.#last.length * 4
  }

  #grow(): void {
    const size = this.#entries.length * 2
    this.#entries = enlarge(this.#entries, size)
    this.#previous = enlarge(this.#previous, size)
  }

  #clear(): void {
    this.#length = 0
    if (this.#entries.length === least) return
    this.#entries = new Uint32Array(least)
    this.#previous = new Uint32Array(least)
  }
}
