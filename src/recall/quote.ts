// What a prompt quotes of a record of any kind: its texts and its time, as the kind declares them.
import type { Passage, Quote } from '../core/capability/port/recall-port.ts'
import { collectText, confirmedOf, type Kinds, whenField } from '../core/kind.ts'
import type { JsonObject } from '../core/json/path.ts'
import { readPath } from '../core/json/path.ts'
import type { Stored } from '../core/record.ts'

const between = ' · '

/** The texts of the record's kind in their order, parted by dots; the instant is that of its storing unless it has its own. */
export function quoteOf(kinds: Kinds, record: Stored<JsonObject>, passage?: Passage): Quote {
  const kind = kinds.get(record.kind)
  let said = ''
  let focus: Quote['focus']
  for (const path of kind?.text ?? []) {
    const text = path === whenField ? '' : collectText(readPath(record, path)).join(' ')
    if (text === '') continue
    if (said !== '') said += between
    if (path === passage?.path) focus = { from: said.length + passage.from, to: said.length + passage.to }
    said += text
  }
  const happened = kind?.facets.happened_at ? readPath(record, kind.facets.happened_at) : undefined
  const pool = confirmedOf(kind, record)
  const happenedAt = typeof happened === 'string' ? happened : record.created_at
  return { said, ...(focus ? { focus } : {}), happenedAt, ...(pool ? { pool } : {}) }
}
