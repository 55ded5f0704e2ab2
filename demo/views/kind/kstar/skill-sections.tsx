// A skill: how it is done, what it was learned from, how mature it is and how it grew.
import type { Skill } from '../../../../src/index.ts'
import { ClampedText } from '../../../parts/clamped-text.tsx'
import { Mark } from '../../../parts/mark.tsx'
import { Time } from '../../../parts/time.tsx'
import { skillLevels } from '../../../kind/skill-kind.ts'
import { countWord, shareWord } from '../../../wording/text-word.ts'
import { Block, HeadRows, restOf, Row, Section } from '../section.tsx'
import { SkillGrowth } from './skill-growth.tsx'

const known = ['name', 'description', 'learned_from', 'definition', 'maturity']

export function SkillSections({ record: skill }: { record: Skill }) {
  const { definition, description, learned_from: learned, maturity } = skill
  return (
    <>
      <Section name="Maturity" rest={restOf(maturity, ['level', 'success_rate', 'last_used', 'usage_count'])}>
        <dl class="figures">
          <div>
            <dt>Level</dt>
            <dd class="level">
              <Mark mark={maturity.level} word />
            </dd>
          </div>
          <div>
            <dt>Success rate</dt>
            <dd>{maturity.usage_count === 0 ? '–' : shareWord(maturity.success_rate)}</dd>
          </div>
          <div>
            <dt>Uses</dt>
            <dd>{countWord(maturity.usage_count)}</dd>
          </div>
        </dl>
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
      <Section name="Origin" rest={restOf(skill, known)}>
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
