// The shape of a profile: facts that an agent knows about one user. The current facts are derived from the times.
// Invariant: a fact is removed only with the last message that states it.
import { z } from 'zod'
import { instant, recordId } from '../../../shape/field.ts'
import { storedShape } from '../message/message-kind.ts'

/** Most characters of the text, most facts of one user, and most messages of one fact. */
export const profileLimits = { characters: 2000, facts: 2000, messages: 50 } as const

/** One value of one attribute, with the times of its statements and denials. */
export const knownFact = z.looseObject({
  /** Such as `name`, `home` or `likes`. Some attributes have one value at a time. */
  attribute: z.string().min(1).max(200),
  value: z.string().min(1).max(300),
  /** Time of the first statement. */
  since: instant,
  /** Time of the last statement; absent if the value was only denied. */
  stated_at: instant.optional(),
  /** Time of the last denial. */
  denied_at: instant.optional(),
  /** Ids of the stored messages that state or deny the value. */
  messages: z.array(recordId).max(profileLimits.messages).default([]),
  /** Keys of lines that were no stored messages when the fact was learned (message/message-kind.ts). */
  lines: z.array(z.string().max(100)).max(profileLimits.messages).optional(),
})
export type KnownFact = z.output<typeof knownFact>

export const profileBody = z.looseObject({
  /** Id of the user as the source of its messages; empty for a user without an id. */
  user_id: z.string().max(1000).default(''),
  /** The current facts as text, one line for each attribute, for prompts and search. */
  content: z.string().max(profileLimits.characters),
  /** By attribute and folded value, so that the facts of two devices merge. */
  facts: z.record(z.string(), knownFact).default({}),
})
export type ProfileBody = z.output<typeof profileBody>

export const profile = storedShape('profile', profileBody)
export type Profile = z.output<typeof profile>
