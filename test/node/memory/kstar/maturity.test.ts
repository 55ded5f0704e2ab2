// The levels of a skill: at each edge of the table, told from the counts alone, and with a mean that does not drift.
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  recordUse,
  levelFor,
  levelTable,
  settleMaturity,
  settleSkill,
} from '../../../../src/memory/kstar/maturity.ts'
import type { JsonObject } from '../../../../src/core/json/path.ts'
import { skillKind } from '../../../../src/memory/kstar/skill-kind.ts'
import { mergeBodies } from '../../../../src/sync/conflict/merge.ts'
import { type Maturity, type SkillLevel, skillLevels } from '../../../../src/memory/kstar/skill-schema.ts'

const now = '2026-01-31T00:00:00.000Z'
const novice: Maturity = { level: 'novice', success_rate: 0, usage_count: 0 }
const rank = (level: SkillLevel) => skillLevels.indexOf(level)

/** A maturity after `successes` of `uses`, at the level that the table gives. */
const grown = (successes: number, uses: number, level = levelFor(uses, successes / uses)): Maturity => ({
  level,
  success_rate: successes / uses,
  usage_count: uses,
})

describe('levels', () => {
  const above = skillLevels.filter((level) => level !== 'novice')

  test.each(above)('%s is reached at the edges of its row, and not before', (level) => {
    const { uses, rate } = levelTable[level]
    const below = skillLevels[rank(level) - 1]
    expect(levelFor(uses, rate)).toBe(level)
    expect(levelFor(uses - 1, rate)).toBe(below)
    expect(levelFor(uses, rate - 1e-12)).toBe(below)
  })

  test('rise with the table, so that every level can be reached and left', () => {
    above.forEach((level) => {
      const lower = levelTable[skillLevels[rank(level) - 1] ?? 'novice']
      expect(levelTable[level].uses).toBeGreaterThan(lower.uses)
      expect(levelTable[level].rate).toBeGreaterThan(lower.rate)
    })
  })

  it.each([
    ['competent at 3 of 5', grown(2, 4, 'novice'), true, 'competent'],
    ['still novice at 2 of 5', grown(2, 4, 'novice'), false, 'novice'],
    ['still novice at 4 of 4', grown(3, 3, 'novice'), true, 'novice'],
    ['proficient at 15 of 20', grown(14, 19, 'competent'), true, 'proficient'],
    ['still competent at 14 of 20', grown(14, 19, 'competent'), false, 'competent'],
    ['expert at 45 of 50', grown(44, 49, 'proficient'), true, 'expert'],
    ['still proficient at 44 of 50', grown(44, 49, 'proficient'), false, 'proficient'],
    ['no longer expert at 45 of 51', grown(45, 50, 'expert'), false, 'proficient'],
    ['no longer proficient at 15 of 21', grown(15, 20, 'proficient'), false, 'competent'],
    ['no longer competent at 3 of 6', grown(3, 5, 'competent'), false, 'novice'],
    ['as the counts say, whatever level was brought along: down', grown(0, 60, 'expert'), false, 'novice'],
    ['as the counts say, whatever level was brought along: up', grown(60, 60, 'novice'), true, 'expert'],
  ] as const)('%s', (_what, before, outcome, level) => {
    expect(recordUse(before, outcome, now).level).toBe(level)
  })

  test('move by one step at most with one use, because of how far the rows of the table lie apart', () => {
    const counts = fc.nat({ max: 400 }).chain((uses) => fc.tuple(fc.constant(uses), fc.nat({ max: uses })))
    fc.assert(
      fc.property(counts, fc.boolean(), ([usage_count, successes], outcome) => {
        const before = settleMaturity({ ...novice, usage_count, successes })
        const after = recordUse(before, outcome, now)
        expect(Math.abs(rank(after.level) - rank(before.level))).toBeLessThanOrEqual(1)
        expect(after.level).toBe(levelFor(usage_count + 1, (successes + Number(outcome)) / (usage_count + 1)))
        expect(after).toMatchObject({ usage_count: usage_count + 1, last_used: now })
      }),
      { numRuns: 1000 },
    )
  })

  test('count what two devices did apart from each other, once they have met', () => {
    const uses = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 })
    const after = (before: Maturity, outcomes: readonly boolean[], at = now) =>
      outcomes.reduce((one, outcome) => recordUse(one, outcome, at), before)
    fc.assert(
      fc.property(uses, uses, uses, fc.boolean(), (first, here, there, mineIsLater) => {
        // A skill of before the good outcomes were counted has none of them.
        const { successes: _none, ...base } = after(novice, first)
        const bodies = {
          base,
          mine: after(base, here),
          theirs: after(base, there, '2026-02-01T00:00:00.000Z'),
        }
        const [from, mine, theirs] = [bodies.base, bodies.mine, bodies.theirs].map((maturity) =>
          settleSkill({ maturity } as object as JsonObject),
        ) as [JsonObject, JsonObject, JsonObject]
        const { body, clashes } = mergeBodies({
          base: from,
          mine,
          theirs,
          rules: skillKind.merge,
          mineIsLater,
        })
        const { maturity: met } = settleSkill(body) as object as { readonly maturity: Maturity }
        const all = [...first, ...here, ...there]
        const good = all.filter(Boolean).length
        expect(clashes).toEqual([])
        expect(met).toEqual({
          level: levelFor(all.length, good / all.length),
          success_rate: good / all.length,
          usage_count: all.length,
          successes: good,
          last_used: '2026-02-01T00:00:00.000Z',
        })
      }),
    )
  })

  test('come from a mean that is the share of successes, exactly, after any outcomes', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 300 }), (outcomes) => {
        const end = outcomes.reduce((before, outcome) => recordUse(before, outcome, now), novice)
        expect(end.success_rate).toBe(outcomes.filter(Boolean).length / outcomes.length)
      }),
    )
  })
})
