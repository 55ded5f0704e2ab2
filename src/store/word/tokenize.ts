// The terms that the text index holds for a text, without asking it: the tokenizer of schema/derived.ts, in TypeScript.
// Invariant: equal terms here are equal terms in FTS5. (A term cut inside a character ends in U+FFFD, as SQLite shows it.)
import { porterStem } from './porter.ts'
import { unicodeWords } from './unicode-words.ts'
import { createAsciiTerms } from './word-table.ts'

/** FTS5 keeps this many bytes of a term. */
const termLimit = 32_768
const beyondAscii = /[^\0-\x7f]/

const toBytes = (word: string): string =>
  encodeURIComponent(word).replace(/%(..)/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )

function fromBytes(bytes: string): string {
  const cut = bytes.search(/(?:[\xc0-\xff]|[\xe0-\xff][\x80-\xbf]|[\xf0-\xff][\x80-\xbf]{2})$/)
  const whole = cut < 0 ? bytes : bytes.slice(0, cut)
  const escaped = whole.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
  return decodeURIComponent(escaped) + (cut < 0 ? '' : '\ufffd')
}

function termOf(word: string): string {
  if (!beyondAscii.test(word)) return porterStem(word).slice(0, termLimit)
  // Only an ASCII suffix is ever taken off, and no UTF-16 unit takes more than 3 bytes.
  if (beyondAscii.test(word.slice(-1)) && 3 * word.length <= termLimit) return word
  return fromBytes(porterStem(toBytes(word)).slice(0, termLimit))
}

/** Terms of words beyond ASCII that were seen lately: most words of a text are the same few. Long ones are not worth the memory. */
const known = new Map<string, string>()
const knownLimit = { words: 30_000, length: 24 } as const

function knownTermOf(word: string): string {
  let term = known.get(word)
  if (term !== undefined) return term
  term = termOf(word)
  if (word.length > knownLimit.length) return term
  if (known.size >= knownLimit.words) known.clear()
  known.set(word, term)
  return term
}

// In ASCII a word is letters and digits, and lower case is all its folding.
const asciiTerms = createAsciiTerms(termOf)

/** The terms of `text`, in order, with repeats. */
export function tokenize(text: string): string[] {
  return asciiTerms(text) ?? unicodeWords(text).map(knownTermOf)
}
