// Perceptions as the inspector shows them: beliefs about subjects, with confidence and expiry.
import { type FilterFields, order, orderField } from './filter-field.ts'
import type { CapabilityInput, Perception } from '../../src/index.ts'
import { oneLine, shareWord } from '../wording/text-word.ts'
import type { RecordKind } from './record-kind.ts'

const sureness = [0.9, 0.75, 0.5] as const

const fields = {
  subject: { type: 'text', name: 'Subject', path: 'subject' },
  type: { type: 'text', name: 'Type', path: 'type' },
  confidence: {
    type: 'choice',
    name: 'Confidence',
    choices: [
      ...sureness.map((least) => ({
        value: String(least),
        word: `at least ${shareWord(least)}`,
        filters: { confidence: { gte: least } },
      })),
      { value: 'low', word: 'below 50%', filters: { confidence: { lt: 0.5 } } },
    ],
  },
  expired: {
    type: 'choice',
    name: 'Expired',
    choices: [{ value: 'shown', word: 'shown too', options: { includeExpired: true } }],
  },
  agent: { type: 'text', name: 'Agent', path: 'agent' },
  time: { type: 'time', name: 'Stored', path: 'created_at' },
  order: orderField(
    'created_at',
    order('confidence', 'most confident first', '-confidence'),
    order('subject', 'by subject', 'subject'),
  ),
} satisfies FilterFields

export type PerceptionField = keyof typeof fields

export function isExpired(
  { valid_until: until }: Pick<Perception, 'valid_until'>,
  nowMs = Date.now(),
): boolean {
  return until !== undefined && Date.parse(until) <= nowMs
}

export const perceptionKind: RecordKind<Perception> = {
  view: 'perceptions',
  name: 'perception',
  one: 'perception',
  many: 'perceptions',
  order: 'newest first',
  fields,
  timePath: 'created_at',
  hides: true,
  glance: 'Open a perception to see its evidence and its history.',
  searched: 'Search looks at the text, the subject, the type and the day of each perception.',
  cites: [{ path: 'evidence', to: 'Evidence', from: 'Evidence for', rests: () => true }],
  replace: (book, id, content) =>
    book.perceptions.store({ ...content, id, replace: true } as CapabilityInput<'kstar:store_perception'>),
  row(perception) {
    const subject = oneLine(perception.subject ?? '', 60)
    const type = oneLine(perception.type, 40)
    return {
      id: perception.id,
      at: perception.created_at,
      mark: isExpired(perception) ? 'expired' : 'held',
      title: oneLine(perception.content, 240),
      lead: subject,
      rest: type,
      aside: shareWord(perception.confidence),
      share: perception.confidence,
      seen: { subject: [subject], type: [type], agent: [perception.agent] },
    }
  },
}
