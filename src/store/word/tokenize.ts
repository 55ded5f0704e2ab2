// The tokenizer of the text index (schema/derived.ts) in TypeScript.
// Invariant: the terms are those of FTS5. A term that is cut inside a character ends in U+FFFD, like in SQLite.
import { porterStem } from './porter.ts'
import { unicodeWords } from './unicode-words.ts'

/** FTS5 stores this many bytes of a term. */
const maxTermBytes = 32_768
const beyondAscii = /[^\0-\x7f]/

/** The UTF-8 bytes of a word, one UTF-16 unit for each, as `porterStem` needs them. */
const toBytes = (word: string): string =>
  encodeURIComponent(word).replace(/%(..)/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )

/** The text of UTF-8 `bytes`; an incomplete last character becomes U+FFFD. */
function fromBytes(bytes: string): string {
  const cut = bytes.search(/(?:[\xc0-\xff]|[\xe0-\xff][\x80-\xbf]|[\xf0-\xff][\x80-\xbf]{2})$/)
  const complete = cut < 0 ? bytes : bytes.slice(0, cut)
  const escaped = complete.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
  return decodeURIComponent(escaped) + (cut < 0 ? '' : '\ufffd')
}

/** The term of a word of `unicodeWords`: its stem, cut like in FTS5. */
function termOf(word: string): string {
  if (!beyondAscii.test(word)) return porterStem(word).slice(0, maxTermBytes)
  // The stemmer changes only ASCII suffixes, and a UTF-16 unit takes at most 3 bytes.
  if (beyondAscii.test(word.slice(-1)) && 3 * word.length <= maxTermBytes) return word
  return fromBytes(porterStem(toBytes(word)).slice(0, maxTermBytes))
}

/** Longer words, which are rare, are not cached. */
const maxCachedLength = 24
/** A cache is cleared at this many words. */
const maxCachedWords = 30_000

/** Caches the terms of words of texts beyond ASCII: a text repeats most of its words. */
const cache = new Map<string, string>()

function cachedTermOf(word: string): string {
  let term = cache.get(word)
  if (term !== undefined) return term
  term = termOf(word)
  if (word.length > maxCachedLength) return term
  if (cache.size >= maxCachedWords) cache.clear()
  cache.set(word, term)
  return term
}

/** Slots of the hash table of ASCII words: a power of two, twice the most words, so collisions are rare. */
const slotCount = 65_536

/** From an ASCII code to the code of its letter or digit in lower case; 0 for a separator. */
const asciiFolded = Uint8Array.from({ length: 128 }, (_, code) => {
  const letter = String.fromCharCode(code).toLowerCase()
  return /[0-9a-z]/.test(letter) ? letter.charCodeAt(0) : 0
})

/**
 * Makes a function from an ASCII text to its terms, in order, with repeats; undefined for any other text. A hash
 * table caches the terms of words. A lookup compares all letters in the text itself and makes no substring.
 */
function createAsciiTerms(termOf: (word: string) => string): (text: string) => string[] | undefined {
  /** From a slot to the number of its word; 0 for none. A word whose slot is taken is in a following slot. */
  const slots = new Uint16Array(slotCount)
  const hashes = new Int32Array(maxCachedWords + 1)
  const lengths = new Uint8Array(maxCachedWords + 1)
  const letters = new Uint8Array((maxCachedWords + 1) * maxCachedLength)
  let terms: string[] = ['']

  const isWord = (number: number, text: string, from: number, length: number): boolean => {
    if (lengths[number] !== length) return false
    const begin = number * maxCachedLength
    for (let i = 0; i < length; i++)
      if (letters[begin + i] !== asciiFolded[text.charCodeAt(from + i)]) return false
    return true
  }

  const addToCache = (slot: number, hash: number, word: string): string => {
    const term = termOf(word)
    let freeSlot = slot
    if (terms.length > maxCachedWords) {
      terms = ['']
      slots.fill(0)
      freeSlot = slotOf(hash)
    }
    const number = terms.push(term) - 1
    slots[freeSlot] = number
    hashes[number] = hash
    lengths[number] = word.length
    for (let i = 0; i < word.length; i++) letters[number * maxCachedLength + i] = word.charCodeAt(i)
    return term
  }

  const termAt = (text: string, from: number, to: number, hash: number): string => {
    const length = to - from
    if (length > maxCachedLength) return termOf(text.slice(from, to).toLowerCase())
    let slot = slotOf(hash)
    for (let number = slots[slot] as number; number !== 0; number = slots[slot] as number) {
      if (hashes[number] === hash && isWord(number, text, from, length)) return terms[number] as string
      slot = (slot + 1) & (slotCount - 1)
    }
    return addToCache(slot, hash, text.slice(from, to).toLowerCase())
  }

  return (text) => {
    const found: string[] = []
    let from = -1
    let hash = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code > 127) return undefined
      const letter = asciiFolded[code] as number
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

const asciiTerms = createAsciiTerms(termOf)

/** The terms of `text`, in order, with repeats. */
export function tokenize(text: string): string[] {
  return asciiTerms(text) ?? unicodeWords(text).map(cachedTermOf)
}
