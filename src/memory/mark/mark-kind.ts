// The kind `mark`: what somebody said of a record, beside it. One for each record, so that two devices which mark the same
// record make one of them; it goes with its record, and waits harmlessly for one that is not there yet.
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { marks } from '../../shape/marks.ts'
import { recordId } from '../../shape/record-id.ts'

export const markBody = z.looseObject({
  /** The id of the record that is marked. */
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
  // An agent would pin its own words above all others.
  ownerFields: ['pinned', 'personal', 'keep'],
  // It tells of its record that there is one, and what somebody thinks of it.
  madeFrom: { reachOnly: true, sources: ({ record }) => [record] },
  // Each mark is a field of its own: what two devices said of one record both holds.
  policy: 'merge',
  // It has nothing to stand on once its record is gone.
  embed: false,
  recallable: () => false,
}
