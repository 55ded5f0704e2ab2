// Messages as the inspector shows them, with speaker and conversation.
import { order, orderField } from './filter-field.ts'
import type { CapabilityOutput } from '../../src/index.ts'
import { oneLine } from '../wording/text-word.ts'
import type { RecordKind } from './record-kind.ts'

export type Message = CapabilityOutput<'ks:list_messages'>['records'][number]

/** The name of the speaker, if known. */
export function speakerOf({ source }: Pick<Message, 'source'>): string {
  return source.name ?? source.id ?? source.type ?? 'somebody'
}

const speakers = { User: 'a person', Agent: 'an agent', System: 'the system' } as const

export const messageKind: RecordKind<Message> = {
  view: 'messages',
  name: 'message',
  one: 'message',
  many: 'messages',
  order: 'newest first',
  fields: {
    session: { type: 'text', name: 'Session', path: 'session' },
    agent: { type: 'text', name: 'Agent', path: 'agent' },
    said: {
      type: 'choice',
      name: 'Said by',
      choices: Object.entries(speakers).map(([type, word]) => ({
        value: type.toLowerCase(),
        word,
        filters: { 'source.type': type },
      })),
    },
    speaker: { type: 'text', name: 'Speaker', path: 'source.id' },
    time: { type: 'time', name: 'Time', path: 'timestamp' },
    order: orderField('timestamp', order('session', 'by session', 'session')),
  },
  timePath: 'timestamp',
  glance: 'Open a message to see the conversation around it.',
  searched: 'Search looks at what was said, by whom and on which day.',
  cites: [],
  row: (message) => ({
    id: message.id,
    at: message.timestamp,
    mark: message.source.type === 'User' ? 'person' : message.source.type === 'Agent' ? 'agent' : 'message',
    title: oneLine(message.content, 240),
    lead: oneLine(speakerOf(message), 60),
    rest: '',
    aside: oneLine(message.session ?? '', 60),
    seen: {
      session: [message.session ?? ''],
      agent: [message.agent],
      speaker: [oneLine(message.source.id ?? '', 60)],
    },
  }),
}
