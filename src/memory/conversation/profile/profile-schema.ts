// The shape of a profile: facts that an agent knows about one user.
// Invariant: facts are only added, and removed only with the last message that states them. The current facts follow
// from the times.
import { z } from 'zod'
import { instant, recordId } from '../../../shape/field.ts'
import { stored } from '../message/message-kind.ts'

/** Most characters of the text, facts of one user, and messages of one fact. */
export const profileLimit = { characters: 2000, facts: 2000, messages: 50 } as const

/** One value of one attribute, with the times when it was stated and denied. */
export const knownFact = z.looseObject({
  /** `name`, `home`, `likes`, … Some attributes have one value at a time. */
  attribute: z.string().min(1).max(200),
  value: z.string().min(1).max(300),
  /** Time of the first statement. */
  since: instant,
  /** Time of the last statement; absent if it was only denied. */
  stated_at: instant.optional(),
  /** Time of the last denial. */
  denied_at: instant.optional(),
  /** Ids of the messages that state it, if they are records. */
  messages: z.array(recordId).max(profileLimit.messages).default([]),
  /** Keys of the lines that were not messages at that time: see message/message-kind.ts. */
  lines: z.array(z.string().max(100)).max(profileLimit.messages).optional(),
})
export type KnownFact = z.output<typeof knownFact>

export const profileBody = z.looseObject({
  user_id: z.string().max(1000).default(''),
  /** The current facts, one line for each attribute: for prompts and search. */
  content: z.string().max(profileLimit.characters),
  /** By attribute and folded value, so that devices that learned different facts can merge. */
  facts: z.record(z.string(), knownFact).default({}),
})
export type ProfileBody = z.output<typeof profileBody>

export const profile = stored('profile', profileBody)
export type Profile = z.output<typeof profile>
