// Why the score of a hit is what it is: the part that each leg has in it, and what it is multiplied by, as the formulas of the
// engine have it.
import type { RecallHit } from '../../src/index.ts'

/** Ranks count by their reciprocal, as fusion counts them; see `rankConstant` of the engine. */
const rankConstant = 20

/** What part of a score each leg has, by the rank that it gave; together 1. */
export function legShares(ranks: ReadonlyMap<string, number>): [leg: string, share: number][] {
  const parts = [...ranks].map(([leg, rank]) => [leg, 1 / (rankConstant + rank)] as const)
  const all = parts.reduce((sum, [, part]) => sum + part, 0)
  return parts.map(([leg, part]) => [leg, part / all])
}

/** What the ranks are multiplied by: each factor that changes the score, strongest first. */
export function multipliersOf({ because }: RecallHit): [name: string, by: number][] {
  const { recency, importance, confidence, use, pin } = because
  const all: [string, number][] = [
    ['recency', 0.9 + 0.1 * recency],
    ['importance', 0.9 + 0.2 * importance],
    ['confidence', 0.8 + 0.2 * confidence],
    ['use', 1 + 0.1 * use],
    ['pinned', 1 + 0.25 * pin],
  ]
  return all
    .filter(([, by]) => Math.abs(by - 1) >= 0.005)
    .sort(([, one], [, other]) => Math.abs(other - 1) - Math.abs(one - 1))
}

/** The call that asks the same. */
export function recallCode(asked: object): string {
  const fields = Object.entries(asked).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`)
  return `const { hits } = await book.recall({\n${fields.join('\n')}\n})\n`
}
