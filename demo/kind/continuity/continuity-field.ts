// What the views of continuity can be narrowed by, as the address holds it.
import type { FilterFields } from '../filter-field.ts'
import type { View } from '../view.ts'

const persona = { type: 'text', name: 'Persona', path: 'agent' } as const

export const continuityFields: Partial<Record<View, FilterFields>> = {
  days: { persona, month: { type: 'text', name: 'Month', path: 'month' } },
  collections: { persona },
  snapshots: { persona },
}
