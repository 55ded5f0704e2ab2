// The text of a hit that answers: its best passage as recall names it, or of a short record the text with most of the words
// that were met. Invariant: what comes out is text in pieces, never markup.
import type { RecallHit } from '../../../src/index.ts'
import { fold, matchedWords, textsIn, wordsOfText } from '../matched-word.ts'
import { oneLine } from '../text-word.ts'

export interface Piece {
  readonly text: string
  readonly isMatch: boolean
}

const longest = 320
/** So much may stand before the first match; more is cut, so that the cut at the end can't take the match away. */
const before = 100
/** In a row there is space for less. */
const nearRow = 24

/** Pieces in the order of the text; none when no text of the record has a word of the question. */
export function passageOf(hit: RecallHit): Piece[] {
  const words = new Set(matchedWords(hit))
  const text = namedPassage(hit) ?? bestText(hit, words)
  return text === undefined ? [] : piecesOf(oneLine(fromNearMatch(text, words), longest), words)
}

/** What a search has met in a record: its text with most of the words, from near the first; none when it is not said in letters. */
export function metPieces(record: object, search: string): Piece[] {
  const wanted = wordsOfText(search).map(fold)
  const words = new Set<string>()
  for (const text of textsIn(record))
    for (const word of wordsOfText(text)) if (wanted.some((one) => meets(fold(word), one))) words.add(word)
  const text = words.size > 0 ? bestText({ record }, words) : undefined
  return text === undefined ? [] : piecesOf(oneLine(fromNearMatch(text, words, nearRow), longest), words)
}

/** As the index sees it, nearly: the same word, one that begins with it, or one with another ending. */
function meets(word: string, wanted: string): boolean {
  if (word === wanted) return true
  if (/\d/.test(wanted)) return false
  if (wanted.length > 1 && word.startsWith(wanted)) return true
  const stem = wanted.slice(0, Math.max(4, wanted.length - 3))
  return wanted.length > 4 && word.startsWith(stem) && Math.abs(word.length - wanted.length) < 4
}

function fromNearMatch(text: string, words: ReadonlySet<string>, most = before): string {
  const pieces = piecesOf(text, words)
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
  const text = textsIn(valueAt(record, passage.path)).join(' ')
  const quoted = text.slice(passage.from, passage.to)
  if (quoted.trim() === '') return undefined
  return `${passage.from > 0 ? '…' : ''}${quoted}${passage.to < text.length ? '…' : ''}`
}

function bestText({ record }: { readonly record: object }, words: ReadonlySet<string>): string | undefined {
  let best: string | undefined
  let most = 0
  for (const text of textsIn(record)) {
    const met = new Set(
      piecesOf(text, words)
        .filter(({ isMatch }) => isMatch)
        .map((piece) => piece.text),
    )
    if (met.size > most) [best, most] = [text, met.size]
  }
  return best
}

/** Whole words only, so that a short word is not marked inside a longer one. */
function piecesOf(text: string, words: ReadonlySet<string>): Piece[] {
  const folded = new Set([...words].map((word) => word.toLowerCase()))
  const pieces: Piece[] = []
  let plain = ''
  for (const part of text.split(/([\p{L}\p{N}\p{M}]+)/u)) {
    if (!folded.has(part.toLowerCase())) {
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

function valueAt(record: object, path: string): unknown {
  let value: unknown = record
  for (const key of path.split('.'))
    value =
      typeof value === 'object' && value !== null
        ? new Map<string, unknown>(Object.entries(value)).get(key)
        : undefined
  return value
}
