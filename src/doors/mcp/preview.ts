// Short texts of records for a model, which reads a whole record by its reference with `get`.
// Invariant: a preview has at most `previewTokens`, and reports when it is cut.
import type { Passage } from '../../core/capability/port/recall-port.ts'
import { defined } from '../../core/defined.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Stored } from '../../core/record.ts'
import { shownText } from '../../core/text/shown-text.ts'
import { kinds } from '../../engine/capability-table.ts'
import { estimateTokens } from '../../core/text/estimate-tokens.ts'
import { quoteOf, shorten } from '../../recall/pack.ts'

/** Most tokens of the text of a preview, by `estimateTokens`. */
export const previewTokens = 160

export interface Preview {
  /** Id of the record. */
  readonly ref: string
  readonly kind: string
  /** The minute when it happened, in UTC, or when it was stored. */
  readonly at: string
  readonly text: string
  /** True: `text` is a part of the record's text. Absent: it is the whole text. */
  readonly truncated?: true
  /** Characters of the whole text; only if it is cut. */
  readonly length?: number
}

/** The preview of a record, of the part around `passage` if the text is long. */
export function previewOf(record: Stored<JsonObject>, passage?: Passage): Preview {
  const { text: whole, focus, happenedAt } = quoteOf(kinds, record, passage)
  const [text, isCut] = shorten({ text: whole, ...defined({ focus }) }, previewTokens, estimateTokens)
  return {
    ref: record.id,
    kind: record.kind,
    at: `${happenedAt.slice(0, 16)}Z`,
    text: shownText(text),
    ...(isCut ? { truncated: true, length: whole.length } : {}),
  }
}
