// How a skill grows: the running mean of its outcomes, and from that its level. Pure.
// Invariant: one use moves the level by one step at most, towards the level that the table below gives.
import { type Maturity, type SkillLevel, skillLevels } from './skill-schema.ts'

/** The one table of levels: how often a skill must have been used, and with which success rate, to be of each. */
export const levelTable: Readonly<Record<SkillLevel, { readonly uses: number; readonly rate: number }>> = {
  novice: { uses: 0, rate: 0 },
  competent: { uses: 5, rate: 0.6 },
  proficient: { uses: 20, rate: 0.75 },
  expert: { uses: 50, rate: 0.9 },
}

/** How far a mean of whole outcomes may be off by the rounding of doubles. */
const roundingError = 1e-9

/** The highest level whose row of the table is reached. */
export function earnedLevel(uses: number, rate: number): SkillLevel {
  const reached = skillLevels.filter(
    (level) => uses >= levelTable[level].uses && rate >= levelTable[level].rate,
  )
  return reached.at(-1) ?? 'novice'
}

/** The maturity after one more use, at the instant `now`. */
export function afterUse(before: Maturity, succeeded: boolean, now: string): Maturity {
  const uses = before.usage_count + 1
  const successes = successesOf(before) + Number(succeeded)
  const rate = successes / uses
  const from = skillLevels.indexOf(before.level)
  const to = skillLevels.indexOf(earnedLevel(uses, rate))
  const level = skillLevels[from + Math.sign(to - from)] ?? before.level
  return { ...before, level, success_rate: rate, last_used: now, usage_count: uses, successes }
}

/** The good outcomes so far; from the mean where they were not counted, and whole where they must have been. */
function successesOf({ usage_count: count, success_rate: rate, successes }: Maturity): number {
  if (successes !== undefined) return Math.min(successes, count)
  const sum = rate * count
  const whole = Math.round(sum)
  return Math.abs(sum - whole) <= roundingError * Math.max(1, count) ? whole : sum
}
