// The shape of a skill: its procedure, the traces from which it was learned, and its maturity.
import { z } from 'zod'
import { recordHead } from '../../shape/record-head.ts'
import { instant, recordId } from '../../shape/field.ts'
import { textList, name, scope, text } from './record-schema.ts'

const learnedFrom = {
  /** Ids of the traces. */
  traces: z.array(recordId).max(1000).default([]),
  /** True: somebody taught the skill, so it does not depend on traces. */
  explicit_training: z.boolean().default(false),
}
const definition = {
  /** Situations in which to use the skill. */
  triggers: textList.default([]),
  preconditions: textList.default([]),
  procedure: text(200_000),
}

export const skillLevels = ['novice', 'competent', 'proficient', 'expert'] as const
export type SkillLevel = (typeof skillLevels)[number]

const maturity = {
  level: z.enum(skillLevels).default('novice'),
  /** Mean of the outcomes, 0 to 1. */
  success_rate: z.number().min(0).max(1).default(0),
  last_used: instant.optional(),
  usage_count: z.number().int().min(0).default(0),
}

/** Input of `skills.store`. A skill that was learned elsewhere may have a maturity. */
export const skillInput = z.strictObject({
  /** Normalized to NFC. */
  name: name.normalize('NFC'),
  description: text(200_000).default(''),
  learned_from: z.strictObject(learnedFrom).prefault({}),
  definition: z.strictObject(definition),
  maturity: z.strictObject(maturity).optional(),
  /**
   * True: replaces the skill of the same name. Its maturity stays, unless the input has one; its earlier version
   * stays in the history.
   */
  replace: z.boolean().default(false),
  ...scope,
})

/**
 * Number of successful uses. The rate is derived from it: counts of two devices can be added, means can't. Absent in an
 * input, which has the rate; `settleSkill` then computes it.
 */
const successes = z.number().min(0).optional()
const storedMaturity = z.looseObject({ ...maturity, successes })
export type Maturity = z.output<typeof storedMaturity>

/** Counts from which rate and level are derived. */
export const countedMaturity = z.looseObject({
  success_rate: maturity.success_rate.optional(),
  usage_count: maturity.usage_count.optional(),
  successes,
})

export const skillBody = z.looseObject({
  name,
  description: text(200_000),
  learned_from: z.looseObject(learnedFrom),
  definition: z.looseObject(definition),
  maturity: storedMaturity,
})

export type SkillBody = z.output<typeof skillBody>

export const skill = z.looseObject({ ...skillBody.shape, ...recordHead, kind: z.literal('skill') })

export type Skill = z.output<typeof skill>
