// What the view of activity can be narrowed by, as the address holds it, which entry is open, and what the sorts are called.
import type { FilterFields } from '../filter-field.ts'
import type { MarkName } from '../mark.ts'
import type { View } from '../view.ts'

export const activitySorts = ['recall', 'context', 'write', 'refused'] as const
export type ActivitySort = (typeof activitySorts)[number]

export const sortWords: Readonly<Record<ActivitySort, { one: string; many: string; mark: MarkName }>> = {
  recall: { one: 'Recall', many: 'Recalls', mark: 'held' },
  context: { one: 'Context', many: 'Contexts', mark: 'told' },
  write: { one: 'Write', many: 'Writes', mark: 'done' },
  refused: { one: 'Refused', many: 'Refused calls', mark: 'refused' },
}

export const activitySpans = { hour: 'Last hour', day: 'Last 24 hours' } as const

export const activityFields: Partial<Record<View, FilterFields>> = {
  activity: {
    entry: { type: 'text', name: 'Entry', path: 'n' },
    sort: {
      type: 'choice',
      name: 'Type',
      choices: activitySorts.map((value) => ({ value, word: sortWords[value].many })),
    },
    agent: { type: 'text', name: 'Agent', path: 'caller' },
    record: { type: 'text', name: 'Record', path: 'id' },
    since: {
      type: 'choice',
      name: 'Time',
      choices: Object.entries(activitySpans).map(([value, word]) => ({ value, word })),
    },
    time: { type: 'time', name: 'Between', path: 'at' },
  },
}
