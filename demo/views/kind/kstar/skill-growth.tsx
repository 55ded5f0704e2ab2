// How a skill grew: its success rate and level after each use, from the versions of its record.
import type { Skill } from '../../../../src/index.ts'
import { RateChart, type RatePoint } from '../../../parts/rate-chart.tsx'
import { Time } from '../../../parts/time.tsx'
import type { MarkName } from '../../../kind/mark.ts'
import { skillLevels } from '../../../kind/skill-kind.ts'
import type { Version } from '../../../kind/record-kind.ts'
import { detail } from '../../../state/record/record-detail.ts'
import { shareWord } from '../../../wording/size-word.ts'

const tableRows = 200

export function SkillGrowth({ skill }: { skill: Skill }) {
  const now = detail.value
  const versions = now.state === 'shown' && now.id === skill.id ? now.shown.versions : []
  const points = pointsOf(versions)
  if (points.length < 2) {
    return (
      <p class="faint">
        Each use that is noted with <code>skills.recordOutcome</code> adds a point to its curve here.
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
              .map(({ use, succeeded, rate, level, at }) => (
                <tr key={use}>
                  <th scope="row">{use}</th>
                  <td>{succeeded ? 'succeeded' : 'failed'}</td>
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

/** One point for each version in which the skill was used once more. */
export function pointsOf(versions: readonly Version[]): RatePoint[] {
  const points: RatePoint[] = []
  for (const { body, at } of versions) {
    const grown = body?.['maturity'] as Grown | undefined
    const before = points.at(-1)
    if (!grown || grown.usage_count === 0 || before?.use === grown.usage_count) continue
    const last = before ? before.rate * before.use : 0
    points.push({
      use: grown.usage_count,
      rate: grown.success_rate,
      level: grown.level,
      step: skillLevels.findIndex((level) => level === grown.level),
      // One more success adds one to what the mean is of, a failure nothing.
      succeeded: grown.success_rate * grown.usage_count - last > 0.5,
      at: grown.last_used ?? at,
    })
  }
  return points
}
