// What the views of perceptions, facts, skills and what is registered say while there are none.
import { registerSchema } from '../../../state/record/schema.ts'
import { EmptyKind } from '../empty-kind.tsx'

export function EmptyPerceptions() {
  const code = `await book.perceptions.store({
  subject: 'student:ana',
  content: 'Understands recursion, but forgets the base case',
  confidence: 0.8,
  evidence: [],            // ids of the traces that support it
  valid_until: '2027-01-01',
})`
  return (
    <EmptyKind title="No perceptions yet" code={code}>
      <p>
        Here stands what an agent has noticed or believes about a person or a thing: how surely, on the
        evidence of which traces, and until when.
      </p>
    </EmptyKind>
  )
}

export function EmptyFacts() {
  const code = `await book.facts.store({
  schema: 'course.v1',
  data: { code: 'CS101', title: 'Introduction', credits: 6 },
  source: 'registry',
})`
  return (
    <EmptyKind title="No facts yet" code={code}>
      <p>
        Here stands data of named schemas. A fact may stand in the place of an earlier one, which keeps its
        history and leaves recall. Where a schema is registered under Schemas, data is checked against it.
      </p>
    </EmptyKind>
  )
}

export function EmptySchemas() {
  const code = `await book.facts.schemas.register({
  name: 'course.v1',
  schema: {
    type: 'object',
    required: ['code'],
    properties: { code: { type: 'string' }, credits: { type: 'integer', minimum: 0 } },
  },
})`
  return (
    <EmptyKind
      title="No schemas yet"
      code={code}
      act={
        <button type="button" class="button primary" onClick={() => registerSchema()}>
          Register a schema
        </button>
      }
    >
      <p>
        Here stand the JSON Schemas (draft 2020-12) that facts of a name must keep to. A fact that does not is
        refused with the place where it is wrong; facts of other names are free.
      </p>
    </EmptyKind>
  )
}

export function EmptySkills() {
  const code = `await book.skills.store({
  name: 'explain recursion',
  description: 'Lead from a picture to the code',
  definition: { triggers: ['asks about recursion'], procedure: 'Draw the call tree. Then …' },
  learned_from: { traces: [], explicit_training: true },
})
await book.skills.recordOutcome({ skill_name: 'explain recursion', outcome: true })`
  return (
    <EmptyKind title="No skills yet" code={code}>
      <p>
        Here stands how things are done: when, on what conditions, step by step, learned from which traces.
        Each use that is noted moves its success rate, and with it its level.
      </p>
    </EmptyKind>
  )
}

export function EmptyCategories() {
  const code = `await book.traces.categories.register({
  name: 'artifact_evaluation',
  domain: 'education.evaluation',
  required_fields: ['artifact_id', 'score'],
})`
  return (
    <EmptyKind title="No trace categories yet" code={code}>
      <p>
        Here stands what traces of one action in one domain must carry. A trace that lacks it is refused with
        the name of what is missing; other traces are free.
      </p>
    </EmptyKind>
  )
}
