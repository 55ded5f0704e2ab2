// From the words of a user to an FTS5 expression, so that no text is ever syntax; and what that expression means.
import { cutLongWords } from './long-word.ts'
import { grownWords } from './prefix.ts'
import { partsOf, segmentQuery } from './unspaced-script.ts'
import { tokenize } from './tokenize.ts'
import { isSeparator, unicodeWords } from './unicode-words.ts'

/** Longest text that is searched for, in UTF-16 units, and most words taken from it. */
export const textQueryLimits = { length: 10_000, words: 64 } as const

export interface MatchOptions {
  /** One of the words, or all of them. Default any. */
  readonly match?: 'any' | 'all' | undefined
  /** The last word may be the beginning of one. */
  readonly prefix?: boolean | undefined
}

/** What parts words in the index and yet stands inside what people call a word: marks, and the joiners. */
const inner = /[\p{M}\u200c\u200d]/u

/** The words of `text` as the index folds them, each once, in order. One that the index parts inside is a phrase. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>()
  let run = ''
  for (const char of `${text.slice(0, textQueryLimits.length)} `) {
    if (!isSeparator(char.codePointAt(0) ?? 0) || inner.test(char)) run += char
    else if (run !== '') {
      for (const part of partsOf(run)) {
        const word = unicodeWords(cutLongWords(segmentQuery(part))).join(' ')
        if (word !== '') words.add(word)
      }
      run = ''
    }
  }
  return [...words].slice(0, textQueryLimits.words)
}

export interface AskedText {
  readonly words: readonly string[]
  /** True when the last word was left open: no quote closes it. */
  readonly isOpen: boolean
}

/** A passage in quotes that stand at the edges of words. One that is not closed, or stands inside a word, is text. */
const quoted = /(?<![\p{L}\p{N}])["“„]([^"“”„]*)["“”](?![\p{L}\p{N}])/gu

/** The words of a search: what stands in quotes is one of them, a phrase. */
export function askedWordsOf(text: string): AskedText {
  const asked = text.slice(0, textQueryLimits.length)
  const words = new Set<string>()
  const take = (some: readonly string[]) => {
    for (const word of some) words.add(word)
    return some.length > 0
  }
  let from = 0
  let isOpen = true
  for (const { 0: whole, 1: inside = '', index } of asked.matchAll(quoted)) {
    take(wordsOf(asked.slice(from, index)))
    const phrase = phraseOf(inside)
    if (phrase !== '') {
      take([phrase])
      isOpen = false
    }
    from = index + whole.length
  }
  if (take(wordsOf(asked.slice(from)))) isOpen = true
  return { words: [...words].slice(0, textQueryLimits.words), isOpen }
}

/** The words of a passage one after another, with repeats. */
const phraseOf = (passage: string): string =>
  partsOf(passage)
    .flatMap((part) => unicodeWords(cutLongWords(segmentQuery(part))))
    .slice(0, textQueryLimits.words)
    .join(' ')

/** An FTS5 expression for `words`, or undefined when there is none. `columns` restricts it to those fields. */
export function matchExpression(
  words: readonly string[],
  { match, prefix, columns }: MatchOptions & { columns?: readonly number[] | undefined } = {},
): string | undefined {
  if (words.length === 0) return undefined
  const terms = words.map(quote)
  if (prefix) {
    const grown = grownWords(words.at(-1) ?? '').map(quote)
    terms[terms.length - 1] = `(${[`${terms.at(-1) ?? ''}*`, ...grown].join(' OR ')})`
  }
  const expression = terms.join(match === 'all' ? ' AND ' : ' OR ')
  if (columns === undefined) return expression
  return `{${columns.map((column) => `t${column}`).join(' ')}} : (${expression})`
}

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** True when `texts`, were each a column of the index, would satisfy the expression for `words`. */
export function holdsWords(
  texts: readonly string[],
  words: readonly string[],
  { match, prefix }: MatchOptions = {},
): boolean {
  const indexed = texts.map((text) => tokenize(text))
  const holds = (word: string, i: number) => {
    const phrase = tokenize(word)
    const isOpen = prefix === true && i === words.length - 1
    const grown = isOpen ? new Set(grownWords(word).flatMap((one) => tokenize(one))) : undefined
    if (grown && indexed.some((terms) => terms.some((term) => grown.has(term)))) return true
    return indexed.some((terms) => terms.some((_, at) => startsAt(terms, at, phrase, isOpen)))
  }
  return match === 'all' ? words.every(holds) : words.some(holds)
}

function startsAt(terms: readonly string[], at: number, phrase: readonly string[], isOpen: boolean): boolean {
  return phrase.every((part, i) => {
    const term = terms[at + i]
    return isOpen && i === phrase.length - 1 ? term?.startsWith(part) : term === part
  })
}
