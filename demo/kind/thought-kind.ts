// Thoughts as the inspector shows them: notes of an agent, with their importance.
import { oneLine } from '../wording/text-word.ts'
import type { FilterFields } from './filter-field.ts'
import type { BookRecord, RecordKind } from './record-kind.ts'

export const thoughtTypes = {
  experience: 'Experience',
  knowledge: 'Knowledge',
  decision: 'Decision',
} as const

export interface Thought extends BookRecord {
  readonly type: keyof typeof thoughtTypes
  readonly content: string
  readonly context?: string | undefined
  readonly importance: number
  readonly timestamp: string
  readonly archived_at?: string | undefined
}

/** Katra's words for importance, each with its least value. */
const levels = [
  { value: 'critical', word: 'critical (1)', filters: { importance: { gte: 1 } } },
  { value: 'high', word: 'high (0.75 and more)', filters: { importance: { gte: 0.75 } } },
  { value: 'medium', word: 'medium (0.5 and more)', filters: { importance: { gte: 0.5 } } },
  { value: 'low', word: 'low (below 0.5)', filters: { importance: { lt: 0.5 } } },
]

const fields = {
  type: {
    type: 'choice',
    name: 'Type',
    choices: Object.entries(thoughtTypes).map(([value, word]) => ({ value, word, filters: { type: value } })),
  },
  importance: { type: 'choice', name: 'Importance', choices: levels },
  agent: { type: 'text', name: 'Agent', path: 'agent' },
  archived: {
    type: 'choice',
    name: 'Archived',
    choices: [{ value: 'shown', word: 'shown too', options: { includeExpired: true } }],
  },
  time: { type: 'time', name: 'Kept', path: 'timestamp' },
} satisfies FilterFields

/** The name in a persona's id, `mcp_Alice_1f0c3a9b_1762459864`; the whole id of another agent. */
export function personaNameIn(agent: string): string {
  return /^mcp_(.+)_[0-9a-f]{8}_\d+$/.exec(agent)?.[1] ?? agent
}

export const thoughtKind: RecordKind<Thought> = {
  view: 'thoughts',
  name: 'thought',
  one: 'thought',
  many: 'thoughts',
  order: 'newest first',
  fields,
  timePath: 'timestamp',
  hides: true,
  glance: 'Open a thought to see why it was kept, how important it is, and which digests rest on it.',
  searched: 'Search looks at the text, the context and the day of each thought.',
  cites: [],
  row: (thought) => ({
    id: thought.id,
    at: thought.timestamp,
    mark: thought.archived_at === undefined ? 'unarchived' : 'archived',
    title: oneLine(thought.content, 240),
    lead: oneLine(personaNameIn(thought.agent), 60),
    rest: thought.type,
    aside: String(thought.marks?.importance ?? thought.importance),
    share: thought.marks?.importance ?? thought.importance,
    seen: { agent: [thought.agent] },
  }),
}
