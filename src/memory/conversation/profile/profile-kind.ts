// The kind `profile`: the facts that an agent knows about one user. The text of a profile is derived from its facts.
import type { JsonObject } from '../../../core/json/path.ts'
import type { Kind } from '../../../core/kind.ts'
import { linkMessages, settleProfile } from './profile-fact.ts'
import { profileBody, type ProfileBody } from './profile-schema.ts'

export const profileKind: Kind<'profile', ProfileBody> = {
  name: 'profile',
  idPrefix: 'profile::',
  summary: 'The facts that an agent knows about one user, current and former ones.',
  version: 1,
  schema: profileBody,
  text: ['user_id', 'content'],
  facets: { subject: 'user_id' },
  // A merge has the facts of both devices; a fact that both know gets its first and its last time.
  policy: 'merge',
  merge: {
    content: 'derived',
    'facts.*.since': 'min',
    'facts.*.stated_at': 'max',
    'facts.*.denied_at': 'max',
  },
  settle: settleProfile,
  links: ['facts.*.messages'],
  madeFrom: {
    of: ['message'],
    sources: ({ facts = {} }) => Object.values(facts).flatMap(({ messages = [] }) => messages),
    // When a message with one of these keys arrives, `withSource` puts its id in place of the key.
    awaits: ({ facts = {} }) => Object.values(facts).flatMap(({ lines = [] }) => lines),
    withSource: (body, key, id) =>
      ({ ...body, facts: linkMessages(body.facts, key, [id]) }) as unknown as JsonObject,
    rebuildVerb: 'ks:rebuild',
  },
}
