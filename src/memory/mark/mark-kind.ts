// The kind `mark`: all marks of one record, such as pinned or important. They are a record of their own, so that the
// marks of two devices merge. It is removed with the marked record, and waits if that has not arrived yet.
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
  summary: 'The marks of a record: pinned, importance, personal, keep, collection.',
  version: 1,
  schema: markBody,
  text: [],
  facets: { name: 'record' },
  // Calls return these marks with the record.
  marks: 'record',
  // Only the owner may set these: an agent would otherwise pin its own texts above all others.
  ownerFields: ['pinned', 'personal', 'keep'],
  // A mark reveals that its record exists, so it has the reach and the sensitivity of the record.
  madeFrom: { reachOnly: true, sources: ({ record }) => [record] },
  // Each mark is a separate field, so marks of two devices combine.
  policy: 'merge',
  // Recall never returns a mark: it means nothing without its record.
  embed: false,
  recallable: false,
}
