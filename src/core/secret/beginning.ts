// Where in a text any of many beginnings stands. Pure. Invariant: one look at a table for each character, however many beginnings
// there are; they have three characters at least.

const slots = 32_768
const slotOf = (a: number, b: number, c: number) => ((a << 10) ^ (a >> 3) ^ (b << 5) ^ c) & (slots - 1)

export class Beginnings {
  /** For what three characters may begin, its place in `#lists`, which has nothing at 0. */
  readonly #table = new Uint16Array(slots)
  readonly #lists: string[][] = [[]]

  constructor(beginnings: Iterable<string>) {
    // The longest first.
    for (const one of [...new Set(beginnings)].sort((a, b) => b.length - a.length)) {
      const slot = slotOf(one.charCodeAt(0), one.charCodeAt(1), one.charCodeAt(2))
      if (this.#table[slot] === 0) this.#table[slot] = this.#lists.push([]) - 1
      this.#lists[this.#table[slot] ?? 0]?.push(one)
    }
  }

  /** The first from `from` on; the longest of those that begin there. */
  next(text: string, from: number): { readonly index: number; readonly beginning: string } | undefined {
    const table = this.#table
    let a = text.charCodeAt(from)
    let b = text.charCodeAt(from + 1)
    for (let at = from + 2; at < text.length; at += 1) {
      const c = text.charCodeAt(at)
      const list = table[slotOf(a, b, c)] ?? 0
      if (list !== 0) {
        const beginning = this.#at(text, at - 2, list)
        if (beginning !== undefined) return { index: at - 2, beginning }
      }
      a = b
      b = c
    }
    return undefined
  }

  /** Apart from the loop, where a closure over its place would cost more than all the rest. */
  #at(text: string, index: number, list: number): string | undefined {
    return this.#lists[list]?.find((one) => text.startsWith(one, index))
  }
}
