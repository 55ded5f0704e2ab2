// What the views of the pool can be narrowed by, as the address holds it.
import { envelopeWords, resultWords } from '../../wording/pool-word.ts'
import type { ChoiceField, FilterFields } from '../filter-field.ts'
import type { View } from '../view.ts'

const choices = (name: string, words: Readonly<Record<string, string>>): ChoiceField => ({
  type: 'choice',
  name,
  choices: Object.entries(words).map(([value, word]) => ({ value, word })),
})

export const outcomeWords = { approved: 'Approved', rejected: 'Rejected', expired: 'Expired' } as const
export const clawStates = { active: 'Active', stale: 'Stale', stopping: 'Stopping' } as const

export const auditChoices = { refused: 'Rejected', ...resultWords } as const

/** Everything that was not taken in. */
export const refusedResults = ['rejected', 'conflict', 'ignored'] as const

export const poolFields: Partial<Record<View, FilterFields>> = {
  pool: { outcome: choices('Outcome', outcomeWords) },
  poolClaws: {
    state: choices('State', clawStates),
    can: { type: 'text', name: 'Capability', path: 'capabilities' },
  },
  poolAudit: {
    result: choices('Result', auditChoices),
    type: choices('Type', envelopeWords),
    claw: { type: 'text', name: 'Agent', path: 'claw' },
  },
}
