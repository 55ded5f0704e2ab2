// Finds texts that repeat one of given texts, also with another case, white space, punctuation or invisible characters.
// A long text is repeated by every text that contains its letters and digits. A short text is common in others, so only a
// text of the same words repeats it, with the same punctuation between them.
import { isUnspaced, wordsOf } from './content-word.ts'

/** Least letters and digits, and least words, of a long text. */
const longText = { letters: 8, words: 2 } as const

/** UTF-16 units of a text that are enough to find its first letters. */
const headUnits = 100

/** Text in small letters, without accents, invisible characters and differences of compatible forms. */
function smallText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{DI}\u0300-\u036f]/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC')
}

const lettersOf = (text: string): string => smallText(text).replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')

/** The words with the punctuation between them, each space as one. */
function shortFormOf(text: string): string {
  const form = smallText(text).replaceAll(/\s+/gu, ' ').replaceAll('’', "'").trim()
  const words = form.replaceAll(/^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, '')
  return words === '' ? form : words
}

/** True for a text of at least 8 letters or digits, and of at least two words or with a digit. */
export function isLongText(text: string): boolean {
  const letters = lettersOf(text)
  if (Array.from(letters).length < longText.letters) return false
  const words = wordsOf(text.normalize('NFKC')).map((word) => (isUnspaced(word) ? word.length / 2 : 1))
  return words.reduce((sum, count) => sum + count, 0) >= longText.words || /\p{N}/u.test(letters)
}

const grams = (letters: string): string[] =>
  Array.from({ length: Math.max(0, letters.length - longText.letters + 1) }, (_, i) =>
    letters.slice(i, i + longText.letters),
  )

/** Collects texts, and finds those of `lines` that repeat one. */
export interface RepeatFinder {
  /** Adds a text; `time` counts for a short text only. */
  add(text: string, time?: unknown): void
  /** True if `line`, one of `lines`, repeats an added text; with `time`, a short one of the same time. */
  repeats(line: string, time?: unknown): boolean
}

export function createRepeatFinder(lines: readonly string[]): RepeatFinder {
  const lettersByLine = new Map(lines.map((line) => [line, lettersOf(line)]))
  const wholeLines = new Set(lettersByLine.values())
  // A long text is compared with each line only if its beginning is in one: books may have many texts.
  const beginnings = new Set([...lettersByLine.values()].flatMap(grams))
  const longTexts = new Set<string>()
  /** Times by form. */
  const shortTexts = new Map<string, Set<unknown>>()
  const hasBeginning = (letters: string) => beginnings.has(letters.slice(0, longText.letters))
  /** False for most texts of a book; fast. */
  const mayBeRepeated = (text: string): boolean => {
    const head = lettersOf(text.slice(0, headUnits))
    if (head.length > 2 * longText.letters) return hasBeginning(head)
    const letters = lettersOf(text)
    return wholeLines.has(letters) || hasBeginning(letters)
  }
  return {
    add(text, time) {
      if (!mayBeRepeated(text)) return
      if (isLongText(text)) longTexts.add(lettersOf(text))
      else {
        const form = shortFormOf(text)
        if (form !== '') shortTexts.set(form, (shortTexts.get(form) ?? new Set()).add(time))
      }
    },
    repeats(line, time) {
      const letters = lettersByLine.get(line) ?? lettersOf(line)
      if ([...longTexts].some((text) => letters.includes(text))) return true
      const times = shortTexts.get(shortFormOf(line))
      return times !== undefined && (time === undefined || times.has(time))
    },
  }
}
