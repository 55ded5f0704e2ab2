// Marks of records of any kind (pinned, importance, personal, keep, collection): filters, and signs in lists.
// Invariant: a sign always has a word beside its picture.
import type { CapabilityInput } from '../../src/index.ts'
import type { FilterFields } from './filter-field.ts'
import type { IconName } from './icon-shape.ts'
import type { BookRecord, Marks, RecordKind, Sensitivity } from './record-kind.ts'

export type MarkInput = CapabilityInput<'mark:set'>

/** The least importance of an important record; an unmarked one has 0.5. */
const importantFrom = 0.7

export const markedFields = {
  marked: {
    type: 'choice',
    name: 'Marked',
    choices: [
      { value: 'pinned', word: 'pinned', filters: { 'marks.pinned': true } },
      {
        value: 'important',
        word: `important (${importantFrom} and more)`,
        filters: { 'marks.importance': { gte: importantFrom } },
      },
      { value: 'personal', word: 'personal', filters: { 'marks.personal': true } },
      { value: 'keep', word: 'to be kept', filters: { 'marks.keep': true } },
      { value: 'collected', word: 'in a collection', filters: { 'marks.collection': { exists: true } } },
    ],
  },
  collection: { type: 'text', name: 'Collection', path: 'marks.collection', isPath: true },
} satisfies FilterFields

export interface MarkSign {
  readonly icon: IconName
  /** For a title and a screen reader. */
  readonly word: string
  /** The text beside the picture. */
  readonly short?: string
}

const sealing: Partial<Record<Sensitivity, string>> = {
  sensitive: 'Sensitive, stored encrypted',
  restricted: 'Restricted, stored encrypted',
}

export function signsOf(
  { pinned, importance, personal, keep, collection }: Marks,
  sensitivity?: Sensitivity,
): MarkSign[] {
  const signs: MarkSign[] = []
  const sealed = sensitivity && sealing[sensitivity]
  if (sealed !== undefined) signs.push({ icon: 'lock', word: sealed })
  if (pinned === true) signs.push({ icon: 'pin', word: 'Pinned' })
  if (importance !== undefined)
    signs.push({ icon: 'importance', word: `Importance ${importance}`, short: String(importance) })
  if (personal === true) signs.push({ icon: 'personal', word: 'Personal' })
  if (keep === true) signs.push({ icon: 'keep', word: 'Never archived' })
  if (collection !== undefined) signs.push({ icon: 'collection', word: `In the collection ${collection}` })
  return signs
}

/** The kind, with the filters and marks of every record. */
export function withMarks(kind: RecordKind): RecordKind {
  const row = (record: BookRecord) => {
    const own = kind.row(record)
    const { marks, sensitivity } = record
    if (!marks) return sensitivity === undefined ? own : { ...own, sensitivity }
    return { ...own, marks, sensitivity, seen: { ...own.seen, collection: [marks.collection ?? ''] } }
  }
  return { ...kind, fields: { ...kind.fields, ...markedFields }, row }
}
