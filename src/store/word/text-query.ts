// Turns a user's text into an FTS5 expression, and evaluates the same expression without FTS5.
// Invariant: no text of a user becomes syntax of FTS5.
import { cutLongWords, withoutSoftHyphens } from './text.ts'
import { expandPrefix } from './porter.ts'
import { splitScripts, segmentQuery } from './unspaced-script.ts'
import { tokenize } from './tokenize.ts'
import { isSeparator, unicodeWords } from './unicode-words.ts'

/** The longest text of a search, in UTF-16 units, and its most words. The rest is ignored. */
export const textQueryLimits = { length: 10_000, words: 64 } as const

export interface MatchOptions {
  /** A record must have any of the words, or all. Default `any`. */
  readonly match?: 'any' | 'all' | undefined
  /** True: the last word also matches as a prefix. Default false. */
  readonly prefix?: boolean | undefined
}

/** Separators of the index that can be inside a word: marks and joiners. */
const innerSeparator = /[\p{M}\u200c\u200d]/u

/** A word of a text as it is written, and folded like in the index. */
export interface WordPart {
  readonly written: string
  readonly word: string
}

/**
 * The words of `text` in order, with repeats. A word with a separator inside becomes a phrase. In a script without
 * spaces, a part is a run of letters, and `segmentQuery` makes pairs of them.
 */
export function wordParts(text: string): WordPart[] {
  const parts: WordPart[] = []
  let run = ''
  for (const char of `${withoutSoftHyphens(text.slice(0, textQueryLimits.length))} `) {
    if (!isSeparator(char.codePointAt(0) ?? 0) || innerSeparator.test(char)) run += char
    else if (run !== '') {
      for (const written of splitScripts(run)) {
        const word = unicodeWords(cutLongWords(segmentQuery(written))).join(' ')
        if (word !== '') parts.push({ written, word })
      }
      run = ''
    }
  }
  return parts
}

/** The words of `text`, folded like in the index, each once, in order. See `wordParts`. */
export function queryWords(text: string): string[] {
  const words = new Set(wordParts(text).map(({ word }) => word))
  return [...words].slice(0, textQueryLimits.words)
}

export interface ParsedSearch {
  /** Words and phrases (with spaces inside), folded like in the index, each once. */
  readonly words: readonly string[]
  /** True when the last word is not quoted, so that it may be a prefix. */
  readonly isOpen: boolean
}

/** A quoted passage: its quotes are at the edges of words. An unclosed quote, or one inside a word, is ignored. */
const quotedPassage = /(?<![\p{L}\p{N}])["“„]([^"“”„]*)["“”](?![\p{L}\p{N}])/gu

/** The words of a search. A quoted passage is one word: a phrase. */
export function parseSearch(text: string): ParsedSearch {
  const searched = text.slice(0, textQueryLimits.length)
  const words = new Set<string>()
  const addWords = (added: readonly string[]) => {
    for (const word of added) words.add(word)
    return added.length > 0
  }
  let from = 0
  let isOpen = true
  for (const { 0: quoted, 1: inside = '', index } of searched.matchAll(quotedPassage)) {
    addWords(queryWords(searched.slice(from, index)))
    const phrase = toPhrase(inside)
    if (phrase !== '') {
      addWords([phrase])
      isOpen = false
    }
    from = index + quoted.length
  }
  if (addWords(queryWords(searched.slice(from)))) isOpen = true
  return { words: [...words].slice(0, textQueryLimits.words), isOpen }
}

/** The words of a passage, in order, with repeats, joined by spaces. */
const toPhrase = (passage: string): string =>
  splitScripts(withoutSoftHyphens(passage))
    .flatMap((part) => unicodeWords(cutLongWords(segmentQuery(part))))
    .slice(0, textQueryLimits.words)
    .join(' ')

/** The FTS5 expression for `words`; undefined without words. `columns`: search only these columns. */
export function matchExpression(
  words: readonly string[],
  { match, prefix, columns }: MatchOptions & { columns?: readonly number[] | undefined } = {},
): string | undefined {
  if (words.length === 0) return undefined
  const terms = words.map(quoteForFts)
  if (prefix) {
    const expanded = expandPrefix(words.at(-1) ?? '').map(quoteForFts)
    terms[terms.length - 1] = `(${[`${terms.at(-1) ?? ''}*`, ...expanded].join(' OR ')})`
  }
  const expression = terms.join(match === 'all' ? ' AND ' : ' OR ')
  if (columns === undefined) return expression
  return `{${columns.map((column) => `t${column}`).join(' ')}} : (${expression})`
}

/** A string of FTS5: no character inside is syntax. */
const quoteForFts = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** True when `texts`, the texts of columns, satisfy the expression for `words`. */
export function matchesWords(
  texts: readonly string[],
  words: readonly string[],
  { match, prefix }: MatchOptions = {},
): boolean {
  const indexed = texts.map((text) => tokenize(text))
  const isMatch = (word: string, i: number) => {
    const phrase = tokenize(word)
    const isPrefix = prefix === true && i === words.length - 1
    const expanded = isPrefix ? new Set(expandPrefix(word).flatMap((one) => tokenize(one))) : undefined
    if (expanded && indexed.some((terms) => terms.some((term) => expanded.has(term)))) return true
    return indexed.some((terms) => terms.some((_, at) => startsAt(terms, at, phrase, isPrefix)))
  }
  return match === 'all' ? words.every(isMatch) : words.some(isMatch)
}

/**
 * True when the terms of `phrase` are in `terms` from `at` on; with `isPrefix`, its last may be a beginning.
 */
function startsAt(
  terms: readonly string[],
  at: number,
  phrase: readonly string[],
  isPrefix: boolean,
): boolean {
  return phrase.every((part, i) => {
    const term = terms[at + i]
    return isPrefix && i === phrase.length - 1 ? term?.startsWith(part) : term === part
  })
}
