// A thought: what an agent kept, why it matters, and whether it is archived. And the view while there are none.
import { Bar } from '../../../parts/bar.tsx'
import { ClampedText } from '../../../parts/clamped-text.tsx'
import { Time } from '../../../parts/time.tsx'
import { personaNameIn, type Thought, thoughtTypes } from '../../../kind/thought-kind.ts'
import { goTo } from '../../../state/continuity/personas.ts'
import { EmptyKind } from '../empty-kind.tsx'
import { HeadRows, restOf, Row, Section } from '../section.tsx'

const known = ['type', 'content', 'context', 'importance', 'timestamp', 'archived_at']

export function ThoughtSections({ record: thought }: { record: Thought }) {
  const { content, context, type, importance, timestamp, archived_at: archived, marks, agent } = thought
  const said = marks?.importance
  const name = personaNameIn(agent)
  return (
    <>
      <Section name="Content" rest={restOf(thought, known)}>
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
        <Bar label="importance" share={said ?? importance} text={String(said ?? importance)} strong />
        <p class="faint">
          {said === undefined
            ? 'Set by the agent. Change it in Marks.'
            : `As the mark says; its agent said ${importance}.`}
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

export function EmptyThoughts() {
  const code = `await book.personas.register({ name: 'Alice' })
await book.thoughts.decide({
  persona: 'Alice', decision: 'Use Podman', reasoning: 'no daemon',
})`
  return (
    <EmptyKind title="No thoughts yet" code={code}>
      <p>
        This is where thoughts appear: what an agent keeps for itself of what it saw, learned or decided, and
        how important it took that to be. Digests are made of them.
      </p>
    </EmptyKind>
  )
}
