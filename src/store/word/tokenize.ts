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

/** Appends the value of each word of an ASCII text to `found`; false for any other text. */
type ReadAscii<Value> = (text: string, found: Value[]) => boolean

/**
 * A hash table caches the values of words. A lookup compares all letters in the text itself and makes no substring.
 */
function createAsciiReader<Value>(valueOf: (word: string) => Value): ReadAscii<Value> {
  /** From a slot to the number of its word; 0 for none. A word whose slot is taken is in a following slot. */
  const slots = new Uint16Array(slotCount)
  const hashes = new Int32Array(maxCachedWords + 1)
  const lengths = new Uint8Array(maxCachedWords + 1)
  const letters = new Uint8Array((maxCachedWords + 1) * maxCachedLength)
  /** By the number of the word, from 1 on. */
  let values: Value[] = []

  const isWord = (number: number, text: string, from: number, length: number): boolean => {
    if (lengths[number] !== length) return false
    const begin = number * maxCachedLength
    for (let i = 0; i < length; i++)
      if (letters[begin + i] !== asciiFolded[text.charCodeAt(from + i)]) return false
    return true
  }

  const addToCache = (slot: number, hash: number, word: string): Value => {
    const value = valueOf(word)
    let freeSlot = slot
    if (values.length >= maxCachedWords) {
      values = []
      slots.fill(0)
      freeSlot = slotOf(hash)
    }
    const number = values.push(value)
    slots[freeSlot] = number
    hashes[number] = hash
    lengths[number] = word.length
    for (let i = 0; i < word.length; i++) letters[number * maxCachedLength + i] = word.charCodeAt(i)
    return value
  }

  const valueAt = (text: string, from: number, to: number, hash: number): Value => {
    const length = to - from
    if (length > maxCachedLength) return valueOf(text.slice(from, to).toLowerCase())
    let slot = slotOf(hash)
    for (let number = slots[slot] as number; number !== 0; number = slots[slot] as number) {
      if (hashes[number] === hash && isWord(number, text, from, length)) return values[number - 1] as Value
      slot = (slot + 1) & (slotCount - 1)
    }
    return addToCache(slot, hash, text.slice(from, to).toLowerCase())
  }

  return (text, found) => {
    const before = found.length
    let from = -1
    let hash = 0
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code > 127) {
        found.length = before
        return false
      }
      const letter = asciiFolded[code] as number
      if (letter !== 0) {
        if (from < 0) {
          from = at
          hash = 0
        }
        hash = Math.imul(hash ^ letter, 0x01000193)
      } else if (from >= 0) {
        found.push(valueAt(text, from, at, hash))
        from = -1
      }
    }
    if (from >= 0) found.push(valueAt(text, from, text.length, hash))
    return true
  }
}

const slotOf = (hash: number): number => (hash ^ (hash >>> 15)) & (slotCount - 1)

/** Returns `found` with the value of each term of `text`, in order, with repeats. */
export type Tokenizer<Value> = (text: string, found?: Value[]) => Value[]

/** Makes a tokenizer that caches `valueOf` of the terms of ASCII words: it must not change. */
export function createTokenizer<Value>(valueOf: (term: string) => Value): Tokenizer<Value> {
  const readAscii = createAsciiReader((word) => valueOf(termOf(word)))
  return (text, found = []) => {
    if (!readAscii(text, found))
      for (const word of unicodeWords(text)) found.push(valueOf(cachedTermOf(word)))
    return found
  }
}

const terms = createTokenizer((term) => term)

/** The terms of `text`, in order, with repeats. */
export const tokenize = (text: string): string[] => terms(text)
