// The examples of the KSTAR memory's own description, in TypeScript: a query interface, a reference, extensions.
import { expect, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import type { BookCase } from './book-case.ts'

const evaluation = {
  situation: {
    domain: 'education.evaluation',
    actor: 'urn:principal:teacher:smith',
    channel: 'web',
    context: { topic: 'recursion' },
  },
  task: { goal: 'Evaluate student submission', constraints: ['rubric-v2'] },
  action: {
    type: 'artifact_evaluation',
    parameters: { artifact_id: 'artifact-789', rubric_id: 'rubric-v2' },
  },
  result: { success: true, outcome: { scores: [85], feedback: 'Good work on recursion examples' } },
}

const learnerProfile = {
  type: 'object',
  properties: {
    learning_style: { type: 'string', enum: ['visual', 'auditory', 'kinesthetic', 'reading'] },
    strengths: { type: 'array', items: { type: 'string' } },
    growth_areas: { type: 'array', items: { type: 'string' } },
    preferred_ai_tools: { type: 'array', items: { type: 'string' } },
    study_patterns: {
      type: 'object',
      properties: { peak_hours: { type: 'array' }, session_length_preferred: { type: 'string' } },
    },
  },
}

const teacherProfile = {
  type: 'object',
  properties: {
    teaching_style: { type: 'string' },
    feedback_tone: { type: 'string' },
    expertise_areas: { type: 'array', items: { type: 'string' } },
  },
}

async function fill(book: Daybook): Promise<void> {
  await book.traces.store({ ...evaluation, timestamp: '2026-01-31T15:00:00Z' })
  await book.traces.store({
    ...evaluation,
    timestamp: '2026-02-01',
    situation: { domain: 'education.curriculum' },
    action: { type: 'module_authoring', parameters: { module_id: 'm', learning_objectives: [] } },
    result: { success: false, outcome: { feedback: 'Too long' } },
  })
}

export function exampleCases({ book: open }: BookCase): void {
  it('runs the example queries of traces', async () => {
    const book = await open()
    await fill(book)
    const inJanuary = await book.traces.query({
      filters: { timestamp: { gte: '2026-01-01', lte: '2026-01-31' } },
    })
    const inDomain = await book.traces.query({ filters: { 'situation.domain': 'education.evaluation' } })
    const succeeded = await book.traces.query({
      filters: { 'result.success': true, 'action.type': 'artifact_evaluation' },
    })
    const found = await book.traces.search({
      query: 'recursion feedback',
      fields: ['situation.context', 'result.outcome'],
    })
    for (const { records } of [inJanuary, inDomain, succeeded])
      expect(records).toMatchObject([{ action: { type: 'artifact_evaluation' } }])
    expect(found.records.map(({ action }) => action.type)).toEqual([
      'artifact_evaluation',
      'module_authoring',
    ])
  })

  it('runs the example queries of perceptions and facts', async () => {
    const book = await open()
    await book.perceptions.store({ subject: 'student-123', content: 'Prefers diagrams', confidence: 0.9 })
    await book.perceptions.store({ subject: 'student-123', content: 'Works at night', confidence: 0.7 })
    await book.perceptions.store({ subject: 'student-123', content: 'May be bored', confidence: 0.2 })
    const surely = await book.perceptions.get({ subject: 'student-123', minConfidence: 0.7 })
    expect(surely.records.map(({ confidence }) => confidence)).toEqual([0.9, 0.7])
    const recent = await book.perceptions.query({
      filters: { updated_at: { gte: '2026-01-01' } },
      orderBy: '-confidence',
    })
    expect(recent.records.map(({ confidence }) => confidence)).toEqual([0.9, 0.7, 0.2])

    await book.facts.schemas.register({ name: 'learner_profile', schema: learnerProfile })
    await book.facts.schemas.register({ name: 'teacher_profile', schema: teacherProfile })
    const { id } = await book.facts.store({ schema: 'learner_profile', data: { learning_style: 'visual' } })
    await book.facts.store({
      schema: 'learner_profile',
      data: { learning_style: 'reading', strengths: ['proofs'] },
    })
    await book.facts.store({ schema: 'teacher_profile', data: { feedback_tone: 'warm' } })
    expect((await book.facts.get({ schema: 'learner_profile' })).records).toHaveLength(2)
    const visual = await book.facts.query({
      schema: 'learner_profile',
      path: '$.learning_style',
      value: 'visual',
    })
    expect(visual.records.map((fact) => fact.id)).toEqual([id])
  })

  it('runs the example registrations, and holds traces to them', async () => {
    const book = await open()
    await book.traces.categories.register({
      name: 'artifact_evaluation',
      domain: 'education.evaluation',
      required_fields: ['artifact_id', 'rubric_id', 'scores'],
    })
    await book.traces.categories.register({
      name: 'module_authoring',
      domain: 'education.curriculum',
      required_fields: ['module_id', 'learning_objectives'],
    })
    await book.tokens.types.register({
      name: 'evaluation_authority',
      description: 'Authority to evaluate student artifacts',
      scope_pattern: 'course:{course_id}',
      required_permissions: ['evaluate', 'feedback'],
    })
    await book.tokens.types.register({
      name: 'submission_authority',
      description: 'Authority to submit artifacts',
      scope_pattern: 'assignment:{assignment_id}',
      required_permissions: ['submit', 'resubmit'],
    })
    await fill(book)
    expect((await book.traces.categories.list()).records).toHaveLength(2)
    expect((await book.tokens.types.list()).records).toHaveLength(2)
    expect((await book.stats()).kinds).toMatchObject({ trace: { count: 2 }, token_type: { count: 2 } })
  })

  it('runs what the reference says of skills', async () => {
    const book = await open()
    await book.skills.store({
      name: 'grade_recursion',
      description: 'Grades exercises on recursion',
      definition: {
        triggers: ['submission'],
        preconditions: ['rubric'],
        procedure: 'Look for the base case first.',
      },
    })
    await book.skills.recordOutcome({ skillName: 'grade_recursion', outcome: true })
    expect(await book.skills.get({ skillName: 'grade_recursion' })).toMatchObject({
      maturity: { level: 'novice', success_rate: 1, usage_count: 1 },
    })
  })
}
