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
        This is where perceptions appear: what an agent has noticed or believes about a person or a thing,
        with its confidence, the traces that support it, and when it expires.
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
        This is where facts appear: data with a named schema. A newer fact can replace an earlier one, which
        stays in the history and is no longer recalled. Data is validated if its schema is registered under
        Schemas.
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
        This is where the JSON Schemas (draft 2020-12) of facts appear. Facts that are invalid against their
        schema are rejected with the path of the error; other schemas are not validated.
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
await book.skills.recordOutcome({ skillName: 'explain recursion', outcome: true })`
  return (
    <EmptyKind title="No skills yet" code={code}>
      <p>
        This is where skills appear: how to do something, when, under which conditions, and from which traces
        it was learned. Each recorded use updates the success rate and the level.
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
        This is where trace categories appear: the fields that traces of one action in one domain must have.
        Traces without them are rejected with the name of the missing field; other traces are not validated.
      </p>
    </EmptyKind>
  )
}
