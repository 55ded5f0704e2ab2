// What was added to postings last, in the order in which it came: one after another in memory, where adding to the list of
// each term goes all over it. A list takes its entries from here when it is asked for.
// Invariant: of one term the entries here are above those in its list, and in order.

/** So many entries at most wait here: 8 MB. */
const most = 1_048_576
const least = 1024
const byte = 255

export interface FreshLog {
  /** Whether it takes so many more. */
  hasRoom(count: number): boolean
  /**
   * Counts a term once more in `document`, which is not below any that was added. False when a byte can't count it: its list
   * counts it from then on.
   */
  add(term: number, document: number): boolean
  /** Gives `take` the entries of a term, in their order, which are then no longer here. */
  drain(term: number, take: (entries: Uint32Array) => void): void
  /** The terms that have entries here. */
  pending(): number[]
  sizeBytes(): number
}

/** Entries are those of posting-list.ts: `document × 256 + frequency`. */
export function createFreshLog(): FreshLog {
  let entries = new Uint32Array(least)
  /** The entry of the same term before each, and 1; 0 for none. */
  let before = new Uint32Array(least)
  let length = 0
  /** By term: its last entry, and 1; 0 for none. */
  let last = new Uint32Array(least)
  let terms = 0

  const grow = () => {
    const size = entries.length * 2
    const more = [new Uint32Array(size), new Uint32Array(size)] as const
    more[0].set(entries)
    more[1].set(before)
    entries = more[0]
    before = more[1]
  }

  /** With nothing in it, it takes no memory either. */
  const clear = () => {
    length = 0
    if (entries.length > least) {
      entries = new Uint32Array(least)
      before = new Uint32Array(least)
    }
  }

  return {
    hasRoom: (count) => length + count <= most,
    add(term, document) {
      if (term >= last.length) {
        const more = new Uint32Array(Math.max(term + 1, last.length * 2))
        more.set(last)
        last = more
      }
      const end = last[term] as number
      if (end > 0) {
        const entry = entries[end - 1] as number
        if (entry >>> 8 === document) {
          if ((entry & byte) >= byte - 1) return false
          entries[end - 1] = entry + 1
          return true
        }
      }
      if (length === entries.length) grow()
      if (end === 0) terms += 1
      entries[length] = document * 256 + 1
      before[length] = end
      last[term] = ++length
      return true
    },
    drain(term, take) {
      let count = 0
      const end = last[term] ?? 0
      if (end === 0) return
      for (let at = end; at > 0; at = before[at - 1] as number) count += 1
      const own = new Uint32Array(count)
      for (let at = end; at > 0; at = before[at - 1] as number) own[--count] = entries[at - 1] as number
      last[term] = 0
      terms -= 1
      if (terms === 0) clear()
      take(own)
    },
    pending() {
      const all: number[] = []
      for (let term = 0; all.length < terms; term++) if ((last[term] as number) > 0) all.push(term)
      return all
    },
    sizeBytes: () => entries.length * 8 + last.length * 4,
  }
}
