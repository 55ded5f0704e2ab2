// The fields by which the address narrows a view, and the words of their choices.
import type { ChoiceField, FilterFields } from './filter-field.ts'
import type { MarkName } from './mark.ts'
import type { View } from './view.ts'
import { envelopeWords, resultWords } from '../wording/pool-word.ts'

export const activitySorts = ['recall', 'context', 'write', 'refused'] as const
export type ActivitySort = (typeof activitySorts)[number]

export const sortWords: Readonly<Record<ActivitySort, { one: string; many: string; mark: MarkName }>> = {
  recall: { one: 'Recall', many: 'Recalls', mark: 'held' },
  context: { one: 'Context', many: 'Contexts', mark: 'episode' },
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

/** Days back. */
export const chartSpans = { '7': 'Last 7 days', '30': 'Last 30 days', '90': 'Last 90 days' } as const

const chartFields: Partial<Record<View, FilterFields>> = {
  charts: {
    span: {
      type: 'choice',
      name: 'Time',
      choices: Object.entries(chartSpans).map(([value, word]) => ({ value, word })),
    },
  },
}

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

const consentFields: Partial<Record<View, FilterFields>> = {
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

const persona = { type: 'text', name: 'Persona', path: 'agent' } as const

const continuityFields: Partial<Record<View, FilterFields>> = {
  days: { persona, month: { type: 'text', name: 'Month', path: 'month' } },
  collections: { persona },
  snapshots: { persona },
}

export const outcomeWords = { approved: 'Approved', rejected: 'Rejected', expired: 'Expired' } as const
export const clawStates = { active: 'Active', stale: 'Stale', stopping: 'Stopping' } as const

export const auditChoices = { refused: 'Rejected', ...resultWords } as const

/** Results of envelopes that were not accepted. */
export const refusedResults = ['rejected', 'conflict', 'ignored'] as const

const poolFields: Partial<Record<View, FilterFields>> = {
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

export const runFields: Partial<Record<View, FilterFields>> = {
  runs: {
    run: { type: 'text', name: 'Run', path: 'session' },
    with: { type: 'text', name: 'Compared with', path: 'session' },
    outcome: {
      type: 'choice',
      name: 'Outcome',
      choices: [
        { value: 'ended', word: 'failed runs' },
        { value: 'failed', word: 'with failed steps' },
        { value: 'clean', word: 'without failed steps' },
      ],
    },
    agent: { type: 'text', name: 'Agent', path: 'agent' },
    order: { type: 'text', name: 'Order', path: 'order' },
    only: choices('Steps', { failed: 'failed' }),
    tool: { type: 'text', name: 'Tool', path: 'tool' },
  },
}

/** The fields of every view but those of records. */
export const viewFields: Partial<Record<View, FilterFields>> = {
  ...activityFields,
  ...chartFields,
  ...consentFields,
  ...continuityFields,
  ...poolFields,
  ...runFields,
}
