// The Markdown of a snapshot: six headings, always the same, at most 8,000 characters. Pure: made of the snapshot alone.
import { isJsonObject, type JsonObject } from '../../../core/json/path.ts'

export const snapshotLimit = { markdown: 8000, focus: 2000, lines: 12 } as const

/** What is quoted, and under which heading. */
export const snapshotParts = [
  { name: 'topics', heading: 'Recent topics' },
  { name: 'projects', heading: 'Active projects' },
  { name: 'people', heading: 'People' },
  { name: 'decisions', heading: 'Decisions and discoveries' },
  { name: 'questions', heading: 'Open questions' },
] as const

export const focusHeading = 'Current focus'
const nothing = 'Nothing noted.'

const textIn = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/\s+/gu, ' ').trim() : ''

/** The quoted lines of each part, from the body as it lies. */
function linesIn(body: JsonObject): { heading: string; lines: string[] }[] {
  const context = isJsonObject(body['context']) ? body['context'] : {}
  return snapshotParts.map(({ name, heading }) => {
    const listed = context[name]
    const lines = (Array.isArray(listed) ? listed : []).map((one) =>
      isJsonObject(one) ? textIn(one['text']) : '',
    )
    return { heading, lines: lines.filter((text) => text !== '').map((text) => `- ${text}`) }
  })
}

/**
 * The snapshot as Markdown. What is too long loses lines from the ends of its longest parts, never the focus or a heading.
 */
export function snapshotText(body: JsonObject): string {
  const title = `# Where ${textIn(body['name']).slice(0, 200) || 'this persona'} left off (${textIn(body['taken_at']).slice(0, 40)})`
  const focus = textIn(body['focus']).slice(0, snapshotLimit.focus) || nothing
  const parts = linesIn(body)
  const write = () =>
    [
      title,
      `## ${focusHeading}\n${focus}`,
      ...parts.map(({ heading, lines }) => `## ${heading}\n${lines.join('\n') || nothing}`),
    ].join('\n\n')
  for (;;) {
    const text = write()
    if (text.length <= snapshotLimit.markdown) return text
    const longest = parts.toSorted((a, b) => length(b.lines) - length(a.lines))[0]
    if (!longest || longest.lines.length === 0) return text.slice(0, snapshotLimit.markdown).toWellFormed()
    longest.lines.pop()
  }
}

const length = (lines: readonly string[]) => lines.reduce((sum, { length: own }) => sum + own + 1, 0)
