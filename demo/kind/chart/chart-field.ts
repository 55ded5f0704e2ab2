// What the charts can be narrowed by, as the address holds it.
import type { FilterFields } from '../filter-field.ts'
import type { View } from '../view.ts'

/** How many days back; none for all of them. */
export const chartSpans = { '7': 'Last 7 days', '30': 'Last 30 days', '90': 'Last 90 days' } as const

export const chartFields: Partial<Record<View, FilterFields>> = {
  charts: {
    span: {
      type: 'choice',
      name: 'Time',
      choices: Object.entries(chartSpans).map(([value, word]) => ({ value, word })),
    },
  },
}
