// The text of a hit that answers: its best passage as recall names it, or of a short record the text with most of the words
// that were met. Invariant: what comes out is text in pieces, never markup.
import type { RecallHit } from '../../../src/index.ts'
import { fold, matchedWords, textsIn, wordsOfText } from '../matched-word.ts'
import { oneLine } from '../text-word.ts'
import { placesMet, readSearch } from './search-text.ts'

export interface Piece {
  readonly text: string
  readonly isMatch: boolean
}

const longest = 320
/** So much may stand before the first match; more is cut, so that the cut at the end can't take the match away. */
const nearHit = 100
/** In a row there is space for less. */
const nearRow = 24

/** Which of the words of a text are met, by their place. */
type Meeting = (words: readonly string[]) => ReadonlySet<number>

/** Pieces in the order of the text; none when no text of the record has a word of the question. */
export function passageOf(hit: RecallHit): Piece[] {
  const words = new Set(matchedWords(hit).map((word) => word.toLowerCase()))
  const met: Meeting = (all) => new Set(all.flatMap((word, i) => (words.has(word.toLowerCase()) ? [i] : [])))
  const text = namedPassage(hit) ?? bestText(hit.record, met)
  return text === undefined ? [] : piecesOf(oneLine(fromNearMatch(text, met), longest), met)
}

/** What a search has met in a record: its text with most of the words, from near the first; none when it is not said in letters. */
export function metPieces(record: object, search: string, near: number = nearRow): Piece[] {
  const wanted = readSearch(search)
  const met: Meeting = (all) => {
    const folded = all.map(fold)
    return new Set(folded.flatMap((_, i) => placesMet(folded, i, wanted)))
  }
  const text = bestText(record, met)
  return text === undefined ? [] : piecesOf(oneLine(fromNearMatch(text, met, near), longest), met)
}

function fromNearMatch(text: string, met: Meeting, most: number = nearHit): string {
  const pieces = piecesOf(text, met)
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

function bestText(record: object, met: Meeting): string | undefined {
  let best: string | undefined
  let most = 0
  for (const text of textsIn(record)) {
    const words = wordsOfText(text)
    const count = new Set([...met(words)].map((i) => words[i])).size
    if (count > most) [best, most] = [text, count]
  }
  return best
}

/** Whole words only, so that a short word is not marked inside a longer one. */
function piecesOf(text: string, met: Meeting): Piece[] {
  const places = met(wordsOfText(text))
  const pieces: Piece[] = []
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

function valueAt(record: object, path: string): unknown {
  let value: unknown = record
  for (const key of path.split('.'))
    value =
      typeof value === 'object' && value !== null
        ? new Map<string, unknown>(Object.entries(value)).get(key)
        : undefined
  return value
}
