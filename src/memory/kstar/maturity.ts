// How a skill grows: it counts its uses and the good ones among them; rate and level follow from the counts alone. Pure.
// Invariant: two devices that have the same counts tell the same rate and level. One use moves the level by one step at
// most, because of how far the rows of the table below lie apart.
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { countedMaturity, type Maturity, type SkillLevel, skillLevels } from './skill-schema.ts'

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
  const { usage_count: uses, successes } = settleMaturity(before)
  const counted = { usage_count: uses + 1, successes: successes + Number(succeeded) }
  return settleMaturity({ ...before, ...counted, last_used: now })
}

/** What of a maturity rate and level are told from. */
interface Told {
  readonly success_rate?: number | undefined
  readonly usage_count?: number | undefined
  readonly successes?: number | undefined
}

/**
 * Tells the rate and the level from the counts. Where good outcomes were not counted yet they are taken from the rate once;
 * there are never more of them than uses, and without a use there is no rate.
 */
export function settleMaturity<Known extends Told>(maturity: Known) {
  const { usage_count: uses = 0 } = maturity
  const successes = Math.min(Math.max(0, successesOf(maturity)), uses)
  const rate = uses === 0 ? 0 : successes / uses
  return { ...maturity, level: earnedLevel(uses, rate), success_rate: rate, usage_count: uses, successes }
}

/** The good outcomes so far; from the mean where they were not counted, and whole where they must have been. */
function successesOf({ usage_count: count = 0, success_rate: rate = 0, successes }: Told): number {
  if (successes !== undefined) return successes
  const sum = rate * count
  const whole = Math.round(sum)
  return Math.abs(sum - whole) <= roundingError * Math.max(1, count) ? whole : sum
}

/** The body of a skill with its rate and its level as its counts say; one that counts in another way stays as it is. */
export function settleSkill(body: JsonObject): JsonObject {
  const { maturity } = body
  if (!isJsonObject(maturity)) return body
  const told = countedMaturity.safeParse(maturity)
  if (!told.success) return body
  const { level, success_rate, usage_count, successes } = settleMaturity(told.data)
  return { ...body, maturity: { ...maturity, level, success_rate, usage_count, successes } }
}
