// The shape of a skill: how something is done, what it was learned from, and how well it goes.
import { z } from 'zod'
import { recordHead } from '../../shape/record-head.ts'
import { instant } from '../../shape/instant.ts'
import { recordId } from '../../shape/record-id.ts'
import { list, name, scope, text } from './record-schema.ts'

const learnedFrom = {
  traces: z.array(recordId).max(1000).default([]),
  explicit_training: z.boolean().default(false),
}
const definition = {
  triggers: list.default([]),
  preconditions: list.default([]),
  procedure: text(200_000),
}

export const skillLevels = ['novice', 'competent', 'proficient', 'expert'] as const
export type SkillLevel = (typeof skillLevels)[number]

const maturity = {
  level: z.enum(skillLevels).default('novice'),
  /** The mean of the outcomes so far, 0 to 1. */
  success_rate: z.number().min(0).max(1).default(0),
  last_used: instant.optional(),
  usage_count: z.number().int().min(0).default(0),
}

/** What `skills.store` takes. A skill learned elsewhere may bring its maturity along. */
export const skillInput = z.strictObject({
  /** Kept in NFC: what reads alike is one name. */
  name: name.normalize('NFC'),
  description: text(200_000).default(''),
  learned_from: z.strictObject(learnedFrom).prefault({}),
  definition: z.strictObject(definition),
  maturity: z.strictObject(maturity).optional(),
  /** Changes the skill that has the name already; it keeps its maturity, and its version before stays in the history. */
  replace: z.boolean().default(false),
  ...scope,
})

/** How many of the outcomes were good, from which the rate is made: counts of two devices add up, means do not. */
const successes = z.number().min(0).optional()
const storedMaturity = z.looseObject({ ...maturity, successes })
export type Maturity = z.output<typeof storedMaturity>

/** What rate and level are told from, as it must be for that. */
export const countedMaturity = z.looseObject({
  success_rate: maturity.success_rate.optional(),
  usage_count: maturity.usage_count.optional(),
  successes,
})

/** The body of a stored skill. */
export const skillBody = z.looseObject({
  name,
  description: text(200_000),
  learned_from: z.looseObject(learnedFrom),
  definition: z.looseObject(definition),
  maturity: storedMaturity,
})

export type SkillBody = z.output<typeof skillBody>

/** A skill as it comes back. */
export const skill = z.looseObject({ ...skillBody.shape, ...recordHead, kind: z.literal('skill') })

export type Skill = z.output<typeof skill>
