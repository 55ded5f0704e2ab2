// The shape of a profile: what an agent knows of one user, fact by fact.
// Invariant: facts are only added to, and go only with the last message that spoke of them; which of them hold now follows
// from what was said when.
import { z } from 'zod'
import { instant } from '../../../shape/instant.ts'
import { recordId } from '../../../shape/record-id.ts'
import { stored } from '../message/message-schema.ts'

/** Most characters of the text that is told from the facts, and most facts of one user. */
export const profileLimit = { characters: 2000, facts: 2000, messages: 50 } as const

/** One value of one attribute, with when it was said and denied. */
export const knownFact = z.looseObject({
  /** What it is about: `name`, `home`, `likes`, … Of some there can be only one at a time. */
  attribute: z.string().min(1).max(200),
  value: z.string().min(1).max(300),
  /** When it was first spoken of. */
  since: instant,
  /** When it was last said; absent when it was only ever denied. */
  said_at: instant.optional(),
  /** When it was last said to hold no longer. */
  denied_at: instant.optional(),
  /** The messages that spoke of it, as far as they are records. */
  messages: z.array(recordId).max(profileLimit.messages).default([]),
  /** Keys of the lines that spoke of it and were no messages then: see message/line-message.ts. */
  lines: z.array(z.string().max(100)).max(profileLimit.messages).optional(),
})
export type KnownFact = z.output<typeof knownFact>

export const profileBody = z.looseObject({
  user_id: z.string().max(1000).default(''),
  /** What holds now, a line for each attribute: for a prompt, and to be found by. */
  content: z.string().max(profileLimit.characters),
  /** By attribute and folded value, so that two devices that learned different things can be joined. */
  facts: z.record(z.string(), knownFact).default({}),
})
export type ProfileBody = z.output<typeof profileBody>

export const profile = stored('profile', profileBody)
export type Profile = z.output<typeof profile>
