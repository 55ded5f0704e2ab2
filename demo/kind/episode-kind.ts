// Episodes as the inspector shows them: parts of a conversation, with a summary.
import { order, orderField } from './filter-field.ts'
import type { CapabilityOutput } from '../../src/index.ts'
import { countOf, oneLine } from '../wording/text-word.ts'
import type { RecordKind } from './record-kind.ts'

export type Episode = CapabilityOutput<'ks:list_episodes'>['records'][number]

export const episodeKind: RecordKind<Episode> = {
  view: 'episodes',
  name: 'episode',
  one: 'episode',
  many: 'episodes',
  order: 'newest first',
  fields: {
    session: { type: 'text', name: 'Session', path: 'session' },
    agent: { type: 'text', name: 'Agent', path: 'agent' },
    keyword: { type: 'text', name: 'Keyword', path: 'keywords', isList: true },
    time: { type: 'time', name: 'Ended', path: 'end_time' },
    order: orderField('end_time', order('session', 'by session', 'session')),
  },
  timePath: 'end_time',
  glance: 'Open an episode to see its summary and its messages.',
  searched: 'Search looks at summaries, keywords and the day.',
  cites: [{ path: 'messages', to: 'Messages', from: 'Episodes' }],
  row: (episode) => ({
    id: episode.id,
    at: episode.end_time ?? episode.created_at,
    mark: 'episode',
    title: oneLine(episode.summary, 240),
    lead: oneLine(episode.keywords.join(', '), 120),
    rest: '',
    aside: countOf(episode.message_count, 'message'),
    seen: {
      session: [episode.session ?? ''],
      agent: [episode.agent],
      keyword: episode.keywords.slice(0, 4),
    },
  }),
}
