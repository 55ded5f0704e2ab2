// The kind `profile`: what an agent knows of one user, fact by fact.
// Invariant: a fact that was contradicted stays in the list, marked with when and by what; none is taken out.
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { instant, recordId, stored } from './message-schema.ts'

/** Most characters of the text that is told from the facts. */
export const profileTextLimit = 2000

export const userFact = z.looseObject({
  /** What it is about: `name`, `home`, `likes`, … Of some there can be only one at a time. */
  attribute: z.string().min(1).max(200),
  value: z.string().min(1).max(1000),
  /** When it was said, for the last time. */
  said_at: instant,
  /** The messages that said it, as far as they are records. */
  messages: z.array(recordId).max(1000).default([]),
  /** Since when it no longer holds. */
  superseded_at: instant.optional(),
  /** What holds instead; absent when it was only denied. */
  superseded_by: z.string().max(1000).optional(),
})
export type UserFact = z.output<typeof userFact>

export const profileBody = z.looseObject({
  user_id: z.string().max(1000).default(''),
  /** What holds now, as sentences: for a prompt, and to be found by. */
  content: z.string().max(profileTextLimit),
  facts: z.array(userFact).max(2000).default([]),
})
export type ProfileBody = z.output<typeof profileBody>

export const profile = stored('profile', profileBody)
export type Profile = z.output<typeof profile>

export const profileKind: Kind<'profile', ProfileBody> = {
  name: 'profile',
  summary: 'What an agent knows of one user, with what it knew before.',
  version: 1,
  schema: profileBody,
  text: ['user_id', 'content'],
  facets: { subject: 'user_id' },
  policy: 'merge',
  sync: { push: true, pull: true },
}
