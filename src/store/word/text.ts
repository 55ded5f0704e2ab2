// The texts of a record, for the text index and for embedders.
import { utcZone, type Zone } from '../../core/zone.ts'
import { isPathWithin, readPath, textValues } from '../../core/json/path.ts'
import { collectText, type Kind, whenField } from '../../core/kind.ts'
import { dateWords, parseTime } from '../../core/time.ts'
import { segmentText } from './unspaced-script.ts'
import { withDateWords } from './written-date.ts'

/** The longest indexed text of a field, in UTF-16 units. The rest is in the record only. */
export const maxIndexedChars = 1_000_000

/**
 * The indexed form of `text`: in a script without spaces, pairs of letters; of a long word, its first letters; of a date,
 * also the words of `dateWords`.
 */
export const indexText = (text: string): string =>
  cutLongWords(segmentText(withDateWords(withoutSoftHyphens(text))))

const softHyphen = '\u00ad'

/** A soft hyphen marks where a word may break at the end of a line: the word is one. */
export const withoutSoftHyphens = (text: string): string =>
  text.includes(softHyphen) ? text.replaceAll(softHyphen, '') : text

/**
 * One text for each text field of `kind`, in order. `happenedAt`: needed only for `whenField`, the words of the date.
 * `zone`: the time zone of these words; default UTC.
 */
export function textsOfRecord(
  kind: Kind,
  body: object,
  happenedAt: string | undefined,
  zone: Zone = utcZone,
): string[] {
  return kind.text.map((path) => {
    // The words of the local date: so the time is moved by the offset of the zone.
    if (path === whenField) {
      const ms = parseTime(happenedAt ?? '') ?? 0
      return dateWords(ms + zone.offsetAt(ms))
    }
    return indexText(collectText(readPath(body, path)).join(' ').slice(0, maxIndexedChars))
  })
}

/**
 * The texts and numbers that a record states: the values of its text fields, without dates, labels (its hot columns) and
 * sources.
 */
export function statedTexts({ text, facets }: Kind, body: object): string[] {
  const labels = new Set<string>([whenField, ...Object.values(facets)])
  const stated = text.filter((path) => !labels.has(path) && !isPathWithin(path, 'source'))
  return stated.flatMap((path) => textValues(readPath(body, path)))
}

/** The longest text for an embedder, in UTF-16 units. Common models accept this length. */
export const maxEmbeddedChars = 6000

/** The text of a record for an embedder: its fields, without the words of its date. */
export function embeddedText(kind: Kind, body: object): string {
  const fields = kind.text.filter((path) => path !== whenField)
  const texts = fields.map((path) => collectText(readPath(body, path)).join(' ').trim())
  return texts
    .filter((text) => text !== '')
    .join('\n')
    .slice(0, maxEmbeddedChars)
}

/** Most indexed letters of a word; later letters are only in the record. */
export const maxWordLetters = 256
/** The letters of FTS5's tokenizer unicode61, and marks, which it removes or takes as separators. */
const longWord = new RegExp(`[\\p{L}\\p{N}\\p{Co}\\p{M}]{${maxWordLetters + 1},}`, 'gu')

/**
 * Cuts each word to `maxWordLetters` letters. Longer words are usually encoded data (keys, base64 images). A text index
 * stores each word several times, so a few megabytes of such words would fill a small disk.
 * Invariant: texts and questions are cut in the same way.
 */
export function cutLongWords(text: string): string {
  if (!mayHaveLongWord(text)) return text
  return text.replace(longWord, (word) => Array.from(word).slice(0, maxWordLetters).join(''))
}

/**
 * True when `text` may have a long word. A long word covers an offset that is a multiple of the limit, so only the
 * words at these offsets are tested.
 */
function mayHaveLongWord(text: string): boolean {
  for (let at = maxWordLetters; at < text.length; at += maxWordLetters) {
    let end = at
    while (end < text.length && isWordCharCode(text.charCodeAt(end))) end += 1
    let from = at
    while (from > 0 && end - from <= maxWordLetters && isWordCharCode(text.charCodeAt(from - 1))) from -= 1
    if (end - from > maxWordLetters) return true
  }
  return false
}

/** True for an ASCII letter or digit, and for any character beyond ASCII. */
function isWordCharCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code > 127
}
