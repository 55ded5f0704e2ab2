// A thought: its content, its importance, and whether it is archived.
import { Bar } from '../../parts/bar.tsx'
import { ClampedText } from '../../parts/clamped-text.tsx'
import { Time } from '../../parts/inline.tsx'
import { personaNameIn, type Thought, thoughtTypes } from '../../kind/thought-kind.ts'
import { goTo } from '../../state/continuity/personas.ts'
import { HeadRows, restOf, Row, Section } from './section.tsx'

const thoughtFields = ['type', 'content', 'context', 'importance', 'timestamp', 'archived_at']

export function ThoughtSections({ record: thought }: { record: Thought }) {
  const { content, context, type, importance, timestamp, archived_at: archived, marks, agent } = thought
  const marked = marks?.importance
  const name = personaNameIn(agent)
  return (
    <>
      <Section name="Content" rest={restOf(thought, thoughtFields)}>
        <ClampedText text={content} />
        {context !== undefined && context !== '' && (
          <Row name="context">
            <span dir="auto">{context}</span>
          </Row>
        )}
        <Row name="type">{thoughtTypes[type]}</Row>
        <Row name="kept">
          <Time at={timestamp} />
        </Row>
        {name !== agent && (
          <Row name="persona">
            <button type="button" class="value-button" onClick={() => goTo('days', { name })}>
              {name}
            </button>
          </Row>
        )}
        <HeadRows record={thought} view="thoughts" />
      </Section>
      <Section name="Importance">
        <Bar label="importance" share={marked ?? importance} text={String(marked ?? importance)} strong />
        <p class="faint">
          {marked === undefined
            ? 'Set by the agent. Change it in Marks.'
            : `Set as a mark. The agent set ${importance}.`}
        </p>
      </Section>
      {archived !== undefined && (
        <Section name="Archived">
          <p>
            <Time at={archived} />. It no longer appears in recall and lists. Digests made from it stay.
          </p>
        </Section>
      )}
    </>
  )
}
