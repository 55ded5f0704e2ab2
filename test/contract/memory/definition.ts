// Registries: categories of traces that ask for fields, and types of tokens.
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

const evaluation = {
  name: 'artifact_evaluation',
  domain: 'education.evaluation',
  required_fields: ['artifact_id', 'rubric_id', 'scores'],
}

function made(parameters: object, outcome?: object) {
  const { result: _, ...open } = makeTrace({
    action: { type: 'artifact_evaluation', parameters: parameters as never },
  })
  return { ...open, ...(outcome && { result: { success: true, outcome: outcome as never } }) }
}

export function definitionCases({ book: open }: BookCase): void {
  it('asks traces of a category for its fields, wherever a trace carries them', async () => {
    const book = await open()
    await book.traces.store(made({}))
    await book.traces.categories.register(evaluation)
    const whole = { artifact_id: 'a', rubric_id: 'r' }
    await book.traces.store(made(whole, { scores: [] }))
    await book.traces.store(made({ ...whole, scores: 1 }, {}))
    // What may come with the result is asked for when the result is there.
    const { id } = await book.traces.store(made({}))
    const missing = await failure(book.traces.complete({ id, result: { success: true, outcome: whole } }))
    expect(missing).toMatchObject({ code: 'invalid-input', details: { path: 'action.parameters.scores' } })
    await book.traces.complete({ id, result: { success: true, outcome: { ...whole, scores: null } } })
    const error = await failure(book.traces.store(made({ rubric_id: 'r' }, { scores: 1 })))
    expect(error).toMatchObject({
      code: 'invalid-input',
      details: { path: 'action.parameters.artifact_id', missing: ['action.parameters.artifact_id'] },
    })
    const traces = [made(whole, { scores: 1 }), made(whole, {})]
    const among = await failure(book.traces.storeMany({ traces }))
    expect(among.details['path']).toBe('traces.1.action.parameters.scores')
    expect((await book.traces.count()).total).toBe(4)
    const elsewhere = { ...made({}, {}), situation: { domain: 'education' } }
    await book.traces.store(elsewhere)
  })

  it('asks for a path exactly there, of a run that succeeded', async () => {
    const book = await open()
    const fields = ['situation.context.course', 'result.outcome.scores']
    await book.traces.categories.register({ ...evaluation, required_fields: fields })
    const bare = { ...made({}, { scores: 1 }), situation: { domain: evaluation.domain } }
    expect((await failure(book.traces.store(bare))).details['path']).toBe('situation.context.course')
    await book.traces.store(made({}))
    const error = await failure(book.traces.store(made({ scores: 1 }, {})))
    expect(error.details['path']).toBe('result.outcome.scores')
    await book.traces.categories.register({ ...evaluation, required_fields: [] })
    await book.traces.store(bare)
    const { records } = await book.traces.categories.list()
    expect(records.map(({ name, domain, required_fields }) => [name, domain, required_fields])).toEqual([
      [evaluation.name, evaluation.domain, []],
    ])
    expect((await book.records.history({ id: records[0]?.id ?? '' })).versions).toHaveLength(2)
  })

  it('asks nothing of a run that failed, or that goes on: it may never have come so far', async () => {
    const book = await open()
    await book.traces.categories.register(evaluation)
    const failed = { success: false, outcome: { error: 'No such artifact' } }
    await book.traces.store({ ...made({}), result: failed })
    const { id } = await book.traces.store(made({}))
    await book.traces.complete({ id, result: failed })
    const late = await failure(book.traces.complete({ id, result: { success: true }, replace: true }))
    expect(late.details).toMatchObject({
      path: 'action.parameters.artifact_id',
      missing: ['action.parameters.artifact_id', 'action.parameters.rubric_id', 'action.parameters.scores'],
    })
    expect((await book.traces.get({ id }))?.result).toMatchObject(failed)
  })

  it('registers types of tokens', async () => {
    const book = await open()
    const authority = {
      name: 'evaluation_authority',
      description: 'May evaluate',
      scope_pattern: 'course:{course_id}',
      required_permissions: ['evaluate', 'feedback'],
    }
    const { id } = await book.tokens.types.register(authority)
    expect((await book.tokens.types.register(authority)).id).toBe(id)
    expect((await book.tokens.types.list()).records).toMatchObject([{ ...authority, kind: 'token_type' }])
    expect((await book.records.history({ id })).versions).toHaveLength(1)
    for (const scope_pattern of ['', 'course:', '**.x', 'a b', '{a', 'a::b']) {
      const error = await failure(book.tokens.types.register({ name: 'n', scope_pattern }))
      expect(error).toMatchObject({ code: 'invalid-input', details: { path: 'scope_pattern' } })
    }
  })

  it.each([
    ['an empty field', { ...evaluation, required_fields: ['a', ''] }, 'required_fields.1'],
    ['a field that is no path', { ...evaluation, required_fields: ['a..b'] }, 'required_fields.0'],
    ['no domain', { name: 'n', required_fields: [] }, 'domain'],
  ])('refuses a category with %s', async (_what, input, path) => {
    const book = await open()
    const error = await failure(book.call('kstar:register_trace_category', input as never))
    expect(error).toMatchObject({ code: 'invalid-input', details: { path } })
  })
}
