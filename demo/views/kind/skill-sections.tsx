// A skill: its procedure, its origin, its maturity, and its success rate over time, from the versions of its record.
import { Fact, FactList } from '../../parts/fact-list.tsx'
import { PlainTable } from '../../parts/table.tsx'
import type { Skill } from '../../../src/index.ts'
import { ClampedText } from '../../parts/clamped-text.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/inline.tsx'
import { skillLevels } from '../../kind/skill-kind.ts'
import { countWord, shareWord } from '../../wording/text-word.ts'
import { Block, HeadRows, restOf, Row, Section } from './section.tsx'
import { RateChart, type RatePoint } from '../../parts/chart/rate-chart.tsx'
import type { MarkName } from '../../kind/mark.ts'
import type { Version } from '../../kind/record-kind.ts'
import { detail } from '../../state/record/record-detail.ts'

const skillFields = ['name', 'description', 'learned_from', 'definition', 'maturity']

export function SkillSections({ record: skill }: { record: Skill }) {
  const { definition, description, learned_from: learned, maturity } = skill
  return (
    <>
      <Section name="Maturity" rest={restOf(maturity, ['level', 'success_rate', 'last_used', 'usage_count'])}>
        <FactList look="figures">
          <Fact name="Level" look="level">
            <Mark mark={maturity.level} word />
          </Fact>
          <Fact name="Success rate">
            {maturity.usage_count === 0 ? '–' : shareWord(maturity.success_rate)}
          </Fact>
          <Fact name="Uses">{countWord(maturity.usage_count)}</Fact>
        </FactList>
        <p class="faint">
          Level {skillLevels.indexOf(maturity.level) + 1} of {skillLevels.length}
          {maturity.last_used !== undefined && (
            <>
              {' '}
              · last used <Time at={maturity.last_used} />
            </>
          )}
        </p>
        <SkillGrowth skill={skill} />
      </Section>
      <Section name="Procedure" rest={restOf(definition, ['triggers', 'preconditions', 'procedure'])}>
        {description !== '' && <ClampedText text={description} />}
        <ClampedText text={definition.procedure} mono={definition.procedure.includes('\n')} />
        {definition.triggers.length > 0 && <Block name="when" value={definition.triggers} />}
        {definition.preconditions.length > 0 && <Block name="only if" value={definition.preconditions} />}
      </Section>
      <Section name="Origin" rest={restOf(skill, skillFields)}>
        <Row name="learned from">
          {learned.explicit_training ? 'explicit training' : ''}
          {learned.explicit_training && learned.traces.length > 0 ? ', and ' : ''}
          {learned.traces.length > 0 ? 'the traces below' : ''}
          {!learned.explicit_training && learned.traces.length === 0 ? 'not recorded' : ''}
        </Row>
        <HeadRows record={skill} view="skills" />
      </Section>
    </>
  )
}

const tableRows = 200

function SkillGrowth({ skill }: { skill: Skill }) {
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
        <PlainTable heads={['Use', 'Outcome', 'Rate', 'Level', 'When']}>
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
        </PlainTable>
      </details>
    </>
  )
}

interface Maturity {
  readonly level: MarkName
  readonly success_rate: number
  readonly usage_count: number
  readonly last_used?: string
}

/** One point for each version in which the skill was used more often. */
function pointsOf(versions: readonly Version[]): RatePoint[] {
  const points: RatePoint[] = []
  for (const { body, at } of versions) {
    const maturity = body?.['maturity'] as Maturity | undefined
    const before = points.at(-1)
    if (!maturity || maturity.usage_count === 0 || before?.use === maturity.usage_count) continue
    points.push({
      use: maturity.usage_count,
      rate: maturity.success_rate,
      level: maturity.level,
      step: skillLevels.findIndex((level) => level === maturity.level),
      ...outcomeOf(before, maturity),
      at: maturity.last_used ?? at,
    })
  }
  return points
}

/** The results of the uses since the point before. */
function outcomeOf(before: RatePoint | undefined, { success_rate, usage_count }: Maturity) {
  const uses = usage_count - (before?.use ?? 0)
  const successes = Math.round(success_rate * usage_count - (before ? before.rate * before.use : 0))
  const failures = uses - successes
  if (uses === 1) return { succeeded: failures === 0, outcome: failures === 0 ? 'succeeded' : 'failed' }
  return {
    succeeded: failures === 0,
    outcome: failures === 0 ? `${uses} succeeded` : `${failures} of ${uses} failed`,
  }
}
