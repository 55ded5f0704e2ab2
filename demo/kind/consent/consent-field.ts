// What the views of consent can be narrowed by, as the address holds it.
import type { ChoiceField, FilterFields } from '../filter-field.ts'
import type { View } from '../view.ts'

const choices = (name: string, words: Readonly<Record<string, string>>): ChoiceField => ({
  type: 'choice',
  name,
  choices: Object.entries(words).map(([value, word]) => ({ value, word })),
})

export const memoryStates = {
  approved: 'Approved',
  flagged: 'Needs review',
  pending: 'Waiting for approval',
  archived: 'Archived',
} as const

export const memoryTypes = {
  episodic: 'Episodic: what happened',
  semantic: 'Semantic: what is true',
  procedural: 'Procedural: how to do things',
} as const

export const sensitivities = {
  public: 'Public',
  standard: 'Standard',
  sensitive: 'Sensitive',
  restricted: 'Restricted',
} as const

export const logOutcomes = { denied: 'Denied', ok: 'Allowed' } as const

const category = { type: 'text', name: 'Category', path: 'category' } as const

export const consentFields: Partial<Record<View, FilterFields>> = {
  memories: {
    status: choices('Status', memoryStates),
    type: choices('Type', memoryTypes),
    category,
  },
  accessLog: {
    outcome: choices('Outcome', logOutcomes),
    agent: { type: 'text', name: 'Agent', path: 'caller' },
    where: choices('Log of', { mirror: 'The edge' }),
  },
}
