// How a skill grew: its success rate and level, from the versions of its record, which lie ever further apart.
import type { Skill } from '../../../../src/index.ts'
import { RateChart, type RatePoint } from '../../../parts/chart/rate-chart.tsx'
import { Time } from '../../../parts/time.tsx'
import type { MarkName } from '../../../kind/mark.ts'
import { skillLevels } from '../../../kind/skill-kind.ts'
import type { Version } from '../../../kind/record-kind.ts'
import { detail } from '../../../state/record/record-detail.ts'
import { shareWord } from '../../../wording/text-word.ts'

const tableRows = 200

export function SkillGrowth({ skill }: { skill: Skill }) {
  const now = detail.value
  const versions = now.state === 'shown' && now.id === skill.id ? now.shown.versions : []
  const points = pointsOf(versions)
  if (points.length < 2) {
    return (
      <p class="faint">
        Uses recorded with <code>skills.recordOutcome</code> are charted here.
      </p>
    )
  }
  return (
    <>
      <RateChart points={points} />
      <details>
        <summary>As a table</summary>
        <table class="plain-table">
          <thead>
            <tr>
              <th scope="col">Use</th>
              <th scope="col">Outcome</th>
              <th scope="col">Rate</th>
              <th scope="col">Level</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {points
              .toReversed()
              .slice(0, tableRows)
              .map(({ use, outcome, rate, level, at }) => (
                <tr key={use}>
                  <th scope="row">{use}</th>
                  <td>{outcome}</td>
                  <td>{shareWord(rate)}</td>
                  <td>{level}</td>
                  <td>
                    <Time at={at} />
                  </td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </>
  )
}

interface Grown {
  readonly level: MarkName
  readonly success_rate: number
  readonly usage_count: number
  readonly last_used?: string
}

/** One point for each version in which the skill was used more often. */
export function pointsOf(versions: readonly Version[]): RatePoint[] {
  const points: RatePoint[] = []
  for (const { body, at } of versions) {
    const grown = body?.['maturity'] as Grown | undefined
    const before = points.at(-1)
    if (!grown || grown.usage_count === 0 || before?.use === grown.usage_count) continue
    points.push({
      use: grown.usage_count,
      rate: grown.success_rate,
      level: grown.level,
      step: skillLevels.findIndex((level) => level === grown.level),
      ...outcomeOf(before, grown),
      at: grown.last_used ?? at,
    })
  }
  return points
}

/** What came of the uses since the point before. */
function outcomeOf(before: RatePoint | undefined, { success_rate, usage_count }: Grown) {
  const uses = usage_count - (before?.use ?? 0)
  const successes = Math.round(success_rate * usage_count - (before ? before.rate * before.use : 0))
  const failures = uses - successes
  if (uses === 1) return { succeeded: failures === 0, outcome: failures === 0 ? 'succeeded' : 'failed' }
  return {
    succeeded: failures === 0,
    outcome: failures === 0 ? `${uses} succeeded` : `${failures} of ${uses} failed`,
  }
}
