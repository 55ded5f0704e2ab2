// JSON in its one canonical spelling (RFC 8785): members sorted by UTF-16 code units, no space, numbers as ECMAScript
// writes them. A lone surrogate, which the RFC has no word for, is written as its escape, so that no text is lost.
import type { Json } from '../../core/json/path.ts'

/** The canonical text of plain JSON. Members that are undefined count as absent. */
export function canonicalText(value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalText(item)).join(',')}]`
  let text = ''
  for (const [key, member] of Object.entries(value).sort(byKey)) {
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalText(member)}`
  }
  return `{${text}}`
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}
