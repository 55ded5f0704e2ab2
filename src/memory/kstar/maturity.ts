// Maturity of a skill: counts its uses and its successes; rate and level are derived from the counts alone. Pure.
// Invariant: devices with the same counts derive the same rate and level. One use moves the level by at most one
// step, because the rows of the table are far enough apart.
import { isJsonObject, type JsonObject } from '../../core/json/path.ts'
import { countedMaturity, type Maturity, type SkillLevel, skillLevels } from './skill-schema.ts'

/** Uses and success rate that each level requires. */
export const levelTable: Readonly<Record<SkillLevel, { readonly uses: number; readonly rate: number }>> = {
  novice: { uses: 0, rate: 0 },
  competent: { uses: 5, rate: 0.6 },
  proficient: { uses: 20, rate: 0.75 },
  expert: { uses: 50, rate: 0.9 },
}

/** Greatest rounding error of a mean of whole outcomes. */
const roundingError = 1e-9

/** The highest level whose required uses and rate are reached. */
export function levelFor(uses: number, rate: number): SkillLevel {
  const reached = skillLevels.filter(
    (level) => uses >= levelTable[level].uses && rate >= levelTable[level].rate,
  )
  return reached.at(-1) ?? 'novice'
}

/** Maturity after one more use at `now`. */
export function recordUse(before: Maturity, succeeded: boolean, now: string): Maturity {
  const { usage_count: uses, successes } = settleMaturity(before)
  const newCounts = { usage_count: uses + 1, successes: successes + Number(succeeded) }
  return settleMaturity({ ...before, ...newCounts, last_used: now })
}

/** Part of a maturity. Absent `successes`: not counted yet, so they follow from the rate. */
interface Counts {
  readonly success_rate?: number | undefined
  readonly usage_count?: number | undefined
  readonly successes?: number | undefined
}

/**
 * Derives rate and level from the counts. If successes are not counted yet, derives them from the rate. Successes
 * never exceed uses; without uses, the rate is 0.
 */
export function settleMaturity<Input extends Counts>(maturity: Input) {
  const { usage_count: uses = 0 } = maturity
  const successes = Math.min(Math.max(0, successesOf(maturity)), uses)
  const rate = uses === 0 ? 0 : successes / uses
  return { ...maturity, level: levelFor(uses, rate), success_rate: rate, usage_count: uses, successes }
}

/**
 * Number of successes. Without a count, derived from the mean, and rounded to a whole number if the difference is a
 * rounding error.
 */
function successesOf({ usage_count: count = 0, success_rate: rate = 0, successes }: Counts): number {
  if (successes !== undefined) return successes
  const sum = rate * count
  const rounded = Math.round(sum)
  return Math.abs(sum - rounded) <= roundingError * Math.max(1, count) ? rounded : sum
}

/** Returns the body of a skill with derived rate and level; the same body if its counts are invalid. */
export function settleSkill(body: JsonObject): JsonObject {
  const { maturity } = body
  if (!isJsonObject(maturity)) return body
  const counts = countedMaturity.safeParse(maturity)
  if (!counts.success) return body
  const { level, success_rate, usage_count, successes } = settleMaturity(counts.data)
  return { ...body, maturity: { ...maturity, level, success_rate, usage_count, successes } }
}
