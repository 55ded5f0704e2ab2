// The kind `snapshot`: the state of a persona, as Markdown for its next prompt and as the quoted lines.
// Invariant: the Markdown is derived from the lines and the focus, so a snapshot has the same text in every book.
import { z } from 'zod'
import { type Kind, whenField } from '../../../core/kind.ts'
import { instant, recordId } from '../../../shape/field.ts'
import { digestLine, lineLimits, recordIdsOf } from '../digest/digest-line.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/path.ts'

/** Most characters of the Markdown and the focus; most lines of a section. */
export const snapshotLimits = { markdown: 8000, focus: 2000, lines: 12 } as const

/** Sections of a snapshot, with their headings in the Markdown. */
export const snapshotSections = [
  { name: 'topics', heading: 'Recent topics' },
  { name: 'projects', heading: 'Active projects' },
  { name: 'people', heading: 'People' },
  { name: 'decisions', heading: 'Decisions and discoveries' },
  { name: 'questions', heading: 'Open questions' },
] as const

const focusHeading = 'Current focus'
const emptyText = 'Nothing noted.'

const oneLine = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/\s+/gu, ' ').trim() : ''

/** The lines of each section, from a body that was not validated. */
function linesIn(body: JsonObject): { heading: string; lines: string[] }[] {
  const context = isJsonObject(body['context']) ? body['context'] : {}
  return snapshotSections.map(({ name, heading }) => {
    const rawLines = context[name]
    const lines = (Array.isArray(rawLines) ? rawLines : []).map((rawLine) =>
      isJsonObject(rawLine) ? oneLine(rawLine['text']) : '',
    )
    return { heading, lines: lines.filter((text) => text !== '').map((text) => `- ${text}`) }
  })
}

/**
 * The snapshot as Markdown. If it is too long, the longest section loses its last line until it fits; the focus and
 * the headings stay.
 */
function snapshotText(body: JsonObject): string {
  const title = `# Where ${oneLine(body['name']).slice(0, 200) || 'this persona'} left off (${oneLine(body['taken_at']).slice(0, 40)})`
  const focus = oneLine(body['focus']).slice(0, snapshotLimits.focus) || emptyText
  const sections = linesIn(body)
  const render = () =>
    [
      title,
      `## ${focusHeading}\n${focus}`,
      ...sections.map(({ heading, lines }) => `## ${heading}\n${lines.join('\n') || emptyText}`),
    ].join('\n\n')
  for (;;) {
    const text = render()
    if (text.length <= snapshotLimits.markdown) return text
    const longest = sections.toSorted((a, b) => totalLength(b.lines) - totalLength(a.lines))[0]
    if (!longest || longest.lines.length === 0) return text.slice(0, snapshotLimits.markdown).toWellFormed()
    longest.lines.pop()
  }
}

const totalLength = (lines: readonly string[]) =>
  lines.reduce((sum, { length: lineLength }) => sum + lineLength + 1, 0)

const quotedLines = z.array(digestLine).max(snapshotLimits.lines).default([])

export const snapshotBody = z.looseObject({
  /** Id and name of the persona. */
  persona: recordId,
  name: z.string().max(200),
  session_id: z.string().max(1000).optional(),
  taken_at: instant,
  /** The persona's focus: in the caller's words, or derived from a line; may be empty. */
  focus: z.string().max(snapshotLimits.focus),
  /** Ids of the records of a derived focus; empty if the caller set the focus. */
  focus_records: z.array(recordId).max(lineLimits.records).default([]),
  /** The quoted lines, by heading. */
  context: z.object({
    topics: quotedLines,
    projects: quotedLines,
    people: quotedLines,
    decisions: quotedLines,
    questions: quotedLines,
  }),
  markdown: z.string().max(snapshotLimits.markdown).default(''),
})
export type SnapshotBody = z.output<typeof snapshotBody>

export const snapshotKind: Kind<'snapshot', SnapshotBody> = {
  name: 'snapshot',
  idPrefix: 'snapshot::',
  summary: 'The state of a persona: Markdown for its next prompt, and the quoted lines.',
  version: 1,
  schema: snapshotBody,
  text: [whenField, 'focus'],
  facets: { happened_at: 'taken_at', subject: 'persona' },
  policy: 'merge',
  merge: { context: 'derived', markdown: 'derived', focus: 'derived', taken_at: 'max' },
  settle(body) {
    const markdown = snapshotText(body)
    return body['markdown'] === markdown ? body : { ...body, markdown }
  },
  // A caller reads a snapshot as a whole for the next prompt, and never searches for it.
  recallable: false,
  embed: false,
  links: ['focus_records', 'context.*.*.records'],
  madeFrom: {
    sources: ({ context, focus_records: focus = [] }) => [
      ...focus,
      ...snapshotSections.flatMap(({ name }) => recordIdsOf(context?.[name] ?? [])),
    ],
    rebuildVerb: 'katra:rebuild',
  },
}
