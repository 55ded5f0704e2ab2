// The kind `mark`: somebody's remarks on a record, stored beside it. One mark for each record, so that marks of two
// devices merge. It is removed with its record, and waits for a record that has not arrived yet.
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { marks } from '../../shape/record-head.ts'
import { recordId } from '../../shape/field.ts'

export const markBody = z.looseObject({
  /** Id of the marked record. */
  record: recordId,
  ...marks,
})
export type MarkBody = z.output<typeof markBody>

export const markKind: Kind<'mark', MarkBody> = {
  name: 'mark',
  idPrefix: 'mark::',
  summary: 'What was said of a record: pinned, how important, personal, to be kept, in which collection.',
  version: 1,
  schema: markBody,
  text: [],
  facets: { name: 'record' },
  marks: 'record',
  // An agent would otherwise pin its own words above all others.
  ownerFields: ['pinned', 'personal', 'keep'],
  // It reveals that its record exists, and somebody's opinion of it.
  madeFrom: { reachOnly: true, sources: ({ record }) => [record] },
  // Each mark is a field of its own, so marks of two devices combine.
  policy: 'merge',
  // A mark means nothing without its record.
  embed: false,
  recallable: () => false,
}
