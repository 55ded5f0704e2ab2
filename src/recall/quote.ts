// What a prompt quotes of a record of any kind: its texts and its time, as the kind declares them.
import type { Quote } from '../core/capability/recall-port.ts'
import { collectText, type Kinds, whenField } from '../core/kind.ts'
import type { JsonObject } from '../core/json/path.ts'
import { readPath } from '../core/json/path.ts'
import type { Stored } from '../core/record.ts'

/** The texts of the record's kind in their order, parted by dots; the instant is that of its storing unless it has its own. */
export function quoteOf(kinds: Kinds, record: Stored<JsonObject>): Quote {
  const kind = kinds.get(record.kind)
  const text = (kind?.text ?? [])
    .filter((path) => path !== whenField)
    .map((path) => collectText(readPath(record, path)).join(' '))
    .filter((text) => text !== '')
    .join(' · ')
  const happened = kind?.facets.happened_at ? readPath(record, kind.facets.happened_at) : undefined
  return { said: text, happenedAt: typeof happened === 'string' ? happened : record.created_at }
}
