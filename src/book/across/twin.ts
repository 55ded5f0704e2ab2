// Twins: records of two books that say the same, so that an answer from both shows it once.
import { bodyOf } from '../../core/record.ts'
import { type JsonObject, textValues } from '../../core/json/path.ts'
import { booleanTexts, sayingOf } from '../../core/text/saying.ts'
import { canonicalTime } from '../../core/time.ts'

/** Fields that a book gives a record, or that tell how sure it is: they say nothing of its content. */
const bookkeeping: ReadonlySet<string> = new Set(['msg_id', 'confidence', 'evidence', 'importance'])

/** The kind and the resource of a record and what it says, as one text to compare; undefined for one without words. */
export function twinKeyOf(record: object & { readonly kind: string }): string | undefined {
  // Each book may have the fields in another order.
  const fields = Object.entries(bodyOf(record)).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const content: JsonObject = Object.fromEntries(fields.filter(([field]) => !bookkeeping.has(field)))
  const texts = textValues(content).filter((text) => canonicalTime(text) === undefined)
  const saying = sayingOf(texts.join('\n'))
  const { resource = '' } = record as { readonly resource?: string }
  return saying === '' ? undefined : [record.kind, resource, saying, ...booleanTexts(content)].join('\n')
}
