// The text of a record, field by field, as the index sees it; and a key that changes when that text does.
import { utcZone, type Zone } from '../../core/calendar/zone.ts'
import { collectText, type Kind, whenField } from '../../core/kind.ts'
import { readPath } from '../../core/json/path.ts'
import { dateWords, parseTime } from '../../core/time.ts'
import { cutLongWords } from './long-word.ts'
import { segmentText } from './unspaced-script.ts'

/** Longest text of one field that is indexed, in UTF-16 units. The record itself keeps everything. */
export const indexedTextLimit = 100_000

/** `text` as the index sees it. */
export const indexText = (text: string): string => cutLongWords(segmentText(text))

/** One text for each of the kind's fields, in their order. `body` is the record's body; days are those of `zone`. */
export function textOf(
  kind: Kind,
  body: object,
  happenedAt: string | undefined,
  zone: Zone = utcZone,
): string[] {
  return kind.text.map((path) => {
    if (path === whenField) {
      const ms = parseTime(happenedAt ?? '') ?? 0
      return dateWords(ms + zone.offsetAt(ms))
    }
    return indexText(collectText(readPath(body, path)).join(' ').slice(0, indexedTextLimit))
  })
}

/** Longest text that is given to an embedder, in UTF-16 units: what the usual ones take without cutting. */
export const embeddedTextLimit = 6000

/** The text that stands for a record with an embedder: its fields, without the words of its day. */
export function embeddedText(kind: Kind, body: object): string {
  const fields = kind.text.filter((path) => path !== whenField)
  const texts = fields.map((path) => collectText(readPath(body, path)).join(' ').trim())
  return texts
    .filter((text) => text !== '')
    .join('\n')
    .slice(0, embeddedTextLimit)
}
