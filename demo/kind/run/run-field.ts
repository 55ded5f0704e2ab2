// What the view of runs can be narrowed by, as the address holds it, and which run is open.
import type { FilterFields } from '../filter-field.ts'
import type { View } from '../view.ts'

export const runFields: Partial<Record<View, FilterFields>> = {
  runs: {
    run: { type: 'text', name: 'Run', path: 'session' },
    outcome: {
      type: 'choice',
      name: 'Outcome',
      choices: [
        { value: 'failed', word: 'with failed steps' },
        { value: 'clean', word: 'without failed steps' },
      ],
    },
    agent: { type: 'text', name: 'Agent', path: 'agent' },
    order: { type: 'text', name: 'Order', path: 'order' },
  },
}
