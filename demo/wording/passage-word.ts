// The passage of a hit that answers the question: the one that recall names, or in a short record the text with most matched words;
// and the words of a search as the book reads them. Invariants: the result is text in pieces, never markup; a mark is close to what
// the index matches.
import type { RecallHit } from '../../src/index.ts'
import { partWith } from './long-text.ts'
import { fold, matchedWords, namedText, textsIn, wordsOfText } from './matched-word.ts'
import { oneLine } from './text-word.ts'

export interface MatchPiece {
  readonly text: string
  readonly isMatch: boolean
}

const longest = 320
/** Most characters before the first match; more is cut, so that the match stays. */
const nearHit = 100
/** The same for a row. */
const nearRow = 24

/** Finds the matched words of a text, by index. */
type Matcher = (words: readonly string[]) => ReadonlySet<number>

/** Pieces in the order of the text; none when no text of the record has a word of the question. */
export function passageOf(hit: RecallHit): MatchPiece[] {
  const words = new Set(matchedWords(hit).map((word) => word.toLowerCase()))
  const matcher: Matcher = (all) =>
    new Set(all.flatMap((word, i) => (words.has(word.toLowerCase()) ? [i] : [])))
  const text = namedPassage(hit) ?? bestText(hit.record, matcher, [...words])
  return text === undefined ? [] : piecesOf(oneLine(fromNearMatch(text, matcher), longest), matcher)
}

/** The record's text with most words of a search, from near the first match; empty if no text matches. */
export function matchedPieces(record: object, search: string, near: number = nearRow): MatchPiece[] {
  const wanted = readSearch(search)
  const matcher: Matcher = (all) => {
    const folded = all.map(fold)
    return new Set(folded.flatMap((_, i) => matchedPlaces(folded, i, wanted)))
  }
  const text = bestText(record, matcher, wanted.flat())
  return text === undefined ? [] : piecesOf(oneLine(fromNearMatch(text, matcher, near), longest), matcher)
}

function fromNearMatch(text: string, matcher: Matcher, most: number = nearHit): string {
  const pieces = piecesOf(text, matcher)
  const at = pieces.findIndex(({ isMatch }) => isMatch)
  const lead = pieces
    .slice(0, Math.max(0, at))
    .map((piece) => piece.text)
    .join('')
  if (lead.length <= most) return text
  const from = text.indexOf(' ', lead.length - most) + 1
  return `…${text.slice(from > 0 && from <= lead.length ? from : lead.length)}`
}

function namedPassage({ record, because }: RecallHit): string | undefined {
  const { passage } = because
  if (!passage) return undefined
  const [text = ''] = namedText(record, { ...passage, from: 0, to: Infinity }) ?? []
  const quoted = text.slice(passage.from, passage.to)
  if (quoted.trim() === '') return undefined
  return `${passage.from > 0 ? '…' : ''}${quoted}${passage.to < text.length ? '…' : ''}`
}

/** `near`: words whose surroundings are read of a very long text. */
function bestText(record: object, matcher: Matcher, near: readonly string[]): string | undefined {
  let best: string | undefined
  let most = 0
  for (const whole of textsIn(record)) {
    const text = partWith(whole, near)
    const words = wordsOfText(text)
    const count = new Set([...matcher(words)].map((i) => words[i])).size
    if (count > most) [best, most] = [text, count]
  }
  return best
}

/** Whole words only, so that a short word is not marked inside a longer one. */
function piecesOf(text: string, matcher: Matcher): MatchPiece[] {
  const places = matcher(wordsOfText(text))
  const pieces: MatchPiece[] = []
  let plain = ''
  let at = 0
  // Every second part is a word.
  for (const [i, part] of text.split(/([\p{L}\p{N}\p{M}]+)/u).entries()) {
    const isMatch = i % 2 === 1 && places.has(at)
    if (i % 2 === 1) at += 1
    if (!isMatch) {
      plain += part
      continue
    }
    if (plain !== '') pieces.push({ text: plain, isMatch: false })
    pieces.push({ text: part, isMatch: true })
    plain = ''
  }
  if (plain !== '') pieces.push({ text: plain, isMatch: false })
  return pieces
}

/** Words, and phrases as lists of words. */
type Wanted = readonly (readonly string[])[]

const quoted = /(?<![\p{L}\p{N}])["“„]([^"“”„]*)["“”](?![\p{L}\p{N}])/gu

export function readSearch(search: string): Wanted {
  const phrases = [...search.matchAll(quoted)].map(([, inside = '']) => wordsOfText(inside).map(fold))
  const words = wordsOfText(search.replaceAll(quoted, ' ')).map((word) => [fold(word)])
  return [...phrases, ...words].filter((one) => one.length > 0)
}

/** The indexes of the words matched from `from` on. */
export function matchedPlaces(folded: readonly string[], from: number, wanted: Wanted): number[] {
  const longest = wanted
    .filter((one) => one.every((word, i) => matches(folded[from + i] ?? '', word, one.length === 1)))
    .reduce((most, { length }) => Math.max(most, length), 0)
  return Array.from({ length: longest }, (_, i) => from + i)
}

/** Approximates the index: the same word, another ending, or a word that begins with it. */
function matches(word: string, wanted: string, mayBegin: boolean): boolean {
  if (word === wanted) return true
  if (/\d/.test(wanted)) return false
  if (mayBegin && wanted.length > 1 && word.startsWith(wanted)) return true
  const stem = wanted.slice(0, Math.max(4, wanted.length - 3))
  return wanted.length > 4 && word.startsWith(stem) && Math.abs(word.length - wanted.length) < 4
}
