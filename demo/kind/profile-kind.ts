// Profiles as the inspector shows them: what each agent knows of each user.
import { countOf, oneLine } from '../wording/text-word.ts'
import type { BookRecord, RecordKind } from './record-kind.ts'

export interface Profile extends BookRecord {
  readonly user_id: string
  readonly content: string
  readonly facts: object
}

export const profileKind: RecordKind<Profile> = {
  view: 'profiles',
  name: 'profile',
  one: 'profile',
  many: 'profiles',
  order: 'newest first',
  fields: {
    user: { type: 'text', name: 'User', path: 'user_id' },
    agent: { type: 'text', name: 'Agent', path: 'agent' },
  },
  glance: 'Open a profile to see what is known about a user, now and earlier.',
  searched: 'Search looks at the user and at current facts.',
  cites: [],
  row: (profile) => ({
    id: profile.id,
    at: profile.updated_at,
    mark: 'person',
    title: profile.user_id === '' ? 'A user without an id' : oneLine(profile.user_id, 120),
    lead: '',
    rest: oneLine(profile.content, 160),
    isProse: true,
    aside: countOf(Object.keys(profile.facts).length, 'fact'),
    seen: { user: [profile.user_id], agent: [profile.agent] },
  }),
}
