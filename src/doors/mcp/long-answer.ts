// Cuts long texts in the answers of tools: a message may have a million characters, more than a model reads at once.
// Invariant: each cut is named in a note with the position from which `get` reads on.
import { isJsonObject } from '../../core/json/path.ts'

/** Most UTF-16 units of a text in an answer. */
export const maxTextLength = 16_000
/** Most cuts that the note lists. */
const maxListedCuts = 10
/** UTF-16 units before the passage that answers, which a cut text also has. */
const beforePassage = 2000

interface Cut {
  readonly path: string
  readonly from: number
  readonly to: number
  readonly length: number
}

/** A long text begins at `from`; with `of`, only the text at that path of a record does. */
interface Beginning {
  readonly from: number
  readonly of?: string | undefined
}

/** `answer` with each text from `from` on, at most `maxTextLength` units long, and the note about what is cut. */
export function cutTexts(answer: unknown, from = 0): { readonly value: unknown; readonly note?: string } {
  const cuts: Cut[] = []
  const value = cutValue(answer, [], { from }, cuts)
  if (cuts.length === 0) return { value }
  const lines = cuts.slice(0, maxListedCuts).map(({ path, from: start, to, length }) => {
    const next = to < length ? `; \`get\` with \`from\`: ${to} reads on` : ''
    return `\`${path}\` has ${length} characters, here are those from ${start} to ${to}${next}.`
  })
  const more = cuts.length > maxListedCuts ? ` ${cuts.length - maxListedCuts} more texts are cut too.` : ''
  return { value, note: `Long texts are cut. ${lines.join(' ')}${more}` }
}

function cutValue(value: unknown, path: readonly string[], at: Beginning, cuts: Cut[]): unknown {
  if (typeof value === 'string') return cutText(value, path, at, cuts)
  if (Array.isArray(value)) {
    const items = value.map((one: unknown, i) => cutValue(one, [...path, String(i)], at, cuts))
    return items.every((one, i) => one === value[i]) ? value : items
  }
  if (!isJsonObject(value)) return value
  const ofRecord = passageOf(value) ?? at
  const fields = Object.entries(value).map(
    ([name, one]) => [name, cutValue(one, [...path, name], name === 'record' ? ofRecord : at, cuts)] as const,
  )
  return fields.every(([name, one]) => one === value[name]) ? value : Object.fromEntries(fields)
}

function cutText(text: string, path: readonly string[], { from, of }: Beginning, cuts: Cut[]): string {
  if (text.length <= maxTextLength) return text
  const isMeant = of === undefined || path.join('.').endsWith(`record.${of}`)
  const start = isMeant ? Math.min(from, text.length) : 0
  const to = Math.min(text.length, start + maxTextLength)
  cuts.push({ path: path.join('.'), from: start, to, length: text.length })
  return text.slice(start, to).toWellFormed()
}

/** Of a hit: the place of the passage that answers. */
function passageOf({ because }: Readonly<Record<string, unknown>>): Beginning | undefined {
  const passage = isJsonObject(because) ? because['passage'] : undefined
  if (!isJsonObject(passage) || typeof passage['from'] !== 'number') return undefined
  return { from: Math.max(0, passage['from'] - beforePassage), of: String(passage['path']) }
}

/** The description of the field `from` of `get`. */
export const fromText = `Begin texts of more than ${maxTextLength} characters here. Default: 0`
