// The kind `snapshot`: where a persona left off, as text for its next prompt and as the lines that the text quotes.
// Invariant: the text follows from the lines and the focus, so the same snapshot says the same in every book.
import { z } from 'zod'
import { type Kind, whenField } from '../../../core/kind.ts'
import { instant } from '../../../shape/instant.ts'
import { recordId } from '../../../shape/record-id.ts'
import { line, recordsOf } from '../digest/line.ts'
import { snapshotLimit, snapshotParts, snapshotText } from './snapshot-text.ts'

const quoted = z.array(line).max(snapshotLimit.lines).default([])

export const snapshotBody = z.looseObject({
  persona: recordId,
  name: z.string().max(200),
  session_id: z.string().max(1000).optional(),
  taken_at: instant,
  focus: z.string().max(snapshotLimit.focus),
  /** The records that the focus was read from; none when somebody said it. */
  focus_records: z.array(recordId).max(50).default([]),
  /** What the text quotes, heading by heading. */
  context: z.object({
    topics: quoted,
    projects: quoted,
    people: quoted,
    decisions: quoted,
    questions: quoted,
  }),
  markdown: z.string().max(snapshotLimit.markdown).default(''),
})
export type SnapshotBody = z.output<typeof snapshotBody>

export const snapshotKind: Kind<'snapshot', SnapshotBody> = {
  name: 'snapshot',
  idPrefix: 'snapshot::',
  summary: 'Where a persona left off: Markdown for its next prompt, and the lines it quotes.',
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
  // It is put into the next prompt as a whole, not found by its words.
  recallable: () => false,
  embed: false,
  links: ['focus_records', 'context.*.*.records'],
  madeFrom: {
    sources: ({ context, focus_records: focus = [] }) => [
      ...focus,
      ...snapshotParts.flatMap(({ name }) => recordsOf(context?.[name] ?? [])),
    ],
    anew: 'katra:tell_anew',
  },
}
