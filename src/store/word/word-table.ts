// Terms of words seen lately, found by the letters of a text as they stand there: no word is cut out of it to look one up.
// Invariant: a word found here is the same letter by letter; what the table forgets is told anew.

/** Longer words are rare, and not worth the memory. */
const longest = 24
/** How many words there may be before all are forgotten; the table is twice as large, so that few stand in another's place. */
const most = 30_000
const slotCount = 65_536

/** By code: the letter or digit that it is, in lower case, or 0 for what parts words. */
const folded = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toLowerCase()
  return /[0-9a-z]/.test(letter) ? letter.charCodeAt(0) : 0
})

/** The terms of a text that is ASCII, in order, with repeats; undefined for any other. `termOf` takes words in lower case. */
export type AsciiTerms = (text: string) => string[] | undefined

export function createAsciiTerms(termOf: (word: string) => string): AsciiTerms {
  /** The number of a word at the place that its letters say, or the next free one; 0 for none. */
  const slots = new Uint16Array(slotCount)
  const hashes = new Int32Array(most + 1)
  const lengths = new Uint8Array(most + 1)
  const letters = new Uint8Array((most + 1) * longest)
  let terms: string[] = ['']

  const isWord = (number: number, text: string, from: number, length: number): boolean => {
    if (lengths[number] !== length) return false
    const begin = number * longest
    for (let i = 0; i < length; i++)
      if (letters[begin + i] !== folded[text.charCodeAt(from + i)]) return false
    return true
  }

  const learn = (slot: number, hash: number, word: string): string => {
    const term = termOf(word)
    let place = slot
    if (terms.length > most) {
      terms = ['']
      slots.fill(0)
      place = slotOf(hash)
    }
    const number = terms.push(term) - 1
    slots[place] = number
    hashes[number] = hash
    lengths[number] = word.length
    for (let i = 0; i < word.length; i++) letters[number * longest + i] = word.charCodeAt(i)
    return term
  }

  const termAt = (text: string, from: number, to: number, hash: number): string => {
    const length = to - from
    if (length > longest) return termOf(text.slice(from, to).toLowerCase())
    let slot = slotOf(hash)
    for (let number = slots[slot] as number; number !== 0; number = slots[slot] as number) {
      if (hashes[number] === hash && isWord(number, text, from, length)) return terms[number] as string
      slot = (slot + 1) & (slotCount - 1)
    }
    return learn(slot, hash, text.slice(from, to).toLowerCase())
  }

  return (text) => {
    const found: string[] = []
    let from = -1
    let hash = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code > 127) return undefined
      const letter = folded[code] as number
      if (letter !== 0) {
        if (from < 0) {
          from = at
          hash = 0
        }
        hash = Math.imul(hash ^ letter, 0x01000193)
      } else if (from >= 0) {
        found.push(termAt(text, from, at, hash))
        from = -1
      }
    }
    if (from >= 0) found.push(termAt(text, from, text.length, hash))
    return found
  }
}

const slotOf = (hash: number): number => (hash ^ (hash >>> 15)) & (slotCount - 1)
