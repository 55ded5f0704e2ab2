// The examples of the P3394 memory specification as they stand there, section by section: each is called by the names that
// it has there, with the JSON that it gives there, through the table of shapes that every door reads.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { callSeedShape, findSeedShape } from '../../../src/doors/seed-shape/seed-shape.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import type { HostPlace } from '../access/verb-place.ts'
import { type BookCase, failure } from '../book-case.ts'
import { domainSchemas, traceContent } from './specification-data.ts'

type Rows = readonly JsonObject[]

/** Calls a row of the table on `book`, at a time that tokens have not come to yet. */
export const shaped = (book: Daybook) => async (name: string, input?: unknown) => {
  const answer = await callSeedShape(name, input, {
    call: (id, value) => book.call(id as never, value as never),
    now: () => Date.parse('2098-02-01T12:00:00Z'),
  })
  // The manifest tells others so.
  findSeedShape(name)?.answerSchema?.parse(answer)
  return answer as never
}

/** The trace of the examples, on a day. */
const traceOn = (timestamp: string, over: JsonObject = {}) => ({ timestamp, ...traceContent, ...over })

export function specificationCases({ book: open }: BookCase, { role }: HostPlace): void {
  // A mirror syncs with nobody.
  const code = role === 'mirror' ? 'runs-elsewhere' : 'sync-off'

  describe('6.4 sync(direction)', () => {
    it('takes every direction that there is, and refuses others', async () => {
      const book = await open()
      const call = shaped(book)
      for (const direction of ['bidirectional', 'both', 'push', 'pull'])
        expect(await failure(call('sync', { direction }))).toMatchObject({ code })
      expect(await failure(call('kstar:sync'))).toMatchObject({ code })
      for (const direction of ['up', '', 'PUSH', 1]) {
        const { code: why, details } = await failure(call('sync', { direction }))
        // A mirror says first what comes first: that it does not sync, or that there is no such direction.
        const path = why === 'runs-elsewhere' ? 'capability' : 'direction'
        expect([why, details['path']]).toEqual([role === 'mirror' ? why : 'invalid-input', path])
        expect(['invalid-input', code]).toContain(why)
      }
      expect(await call('get_sync_state')).toMatchObject({ configured: false, last_sync_timestamp: null })
    })
  })

  describe('7 control tokens', () => {
    it.each(['capability_grant', 'resource_access', 'delegation', 'session'])(
      '7.1 grants a token of the type %s',
      async (token_type) => {
        const book = await open()
        if ((await failureOf(signs(book))) !== undefined) return
        const call = shaped(book)
        const { token_id } = await call('kstar:store_control_token', { token_type, scope: 'course:CS101' })
        const made = { token_id, type: token_type, expires_at: '2098-02-02T12:00:00.000Z', permissions: [] }
        expect(await call('kstar:list_tokens_by_type', { token_type })).toContainEqual(
          expect.objectContaining(made),
        )
      },
    )

    it('7.3 verifies in the order of its reasons, revokes, and lists a lineage', async () => {
      const book = await open()
      if ((await failureOf(signs(book))) !== undefined) return
      const call = shaped(book)
      const verify = (token_id: string, scope: string) =>
        call('mcp__kstar__verify_control_token', { token_id, scope })
      expect(await verify('token::none', 'course:CS101')).toEqual({ valid: false, reason: 'Token not found' })
      const expires_at = '2099-01-01T00:00:00Z'
      const parent: { token_id: string } = await call('store_control_token', {
        token: {
          token_type: 'delegation',
          scope: 'course:**',
          permissions: ['delegation', 'read'],
          expires_at,
        },
      })
      const child: { token_id: string } = await call('mcp__kstar__store_control_token', {
        token_type: 'resource_access',
        scope: 'course:CS101',
        permissions: ['read'],
        expires_at: '2098-01-01',
        delegation_chain: [parent.token_id],
      })
      expect(await verify(child.token_id, 'course:CS101')).toMatchObject({ valid: true })
      expect(await verify(child.token_id, 'course:CS102')).toEqual({ valid: false, reason: 'Scope mismatch' })
      const lineage: Rows = await call('kstar:get_token_lineage', { token_id: child.token_id })
      expect(lineage.map((one) => one['token_id'])).toEqual([child.token_id, parent.token_id])
      const revoked = await call('kstar:revoke_control_token', {
        token_id: parent.token_id,
        reason: 'Course ended',
      })
      expect(revoked).toMatchObject({ revoked: true })
      expect(await verify(parent.token_id, 'course:CS101')).toEqual({ valid: false, reason: 'Token revoked' })
      expect(await verify(child.token_id, 'course:CS101')).toEqual({ valid: false, reason: 'Token revoked' })
      expect(await call('revoke_control_token', { token_id: 'token::none', reason: '' })).toEqual({
        revoked: false,
      })
      expect(await call('get_token_lineage', { token_id: 'token::none' })).toEqual([])
    })

    it('7.3 names the fields of a token as the caller did', async () => {
      const call = shaped(await open())
      const store = (token: object) => failure(call('kstar:store_control_token', token))
      expect(await store({ scope: 'course:CS101' })).toMatchObject({ details: { path: 'token_type' } })
      expect(await store({ token_type: 'delegation' })).toMatchObject({ details: { path: 'scope' } })
      expect(await store({ token_type: 'delegation', scope: 'a', revoked: true })).toMatchObject({
        details: { path: 'revoked' },
      })
      expect(await store({ token_type: 'delegation', scope: 'a::b' })).toMatchObject({
        details: { path: 'scope' },
      })
    })
  })

  describe('8 queries', () => {
    it('8.1 lists traces by time, domain and success, and finds them by words', async () => {
      const call = shaped(await open())
      await call('store_trace', traceOn('2026-01-20T10:00:00Z'))
      await call('store_trace', traceOn('2026-02-20T10:00:00Z', { result: { success: false } }))
      const query = async (filters: object) => ((await call('query_traces', { filters })) as Rows).length
      expect(await query({ timestamp: { gte: '2026-01-01', lte: '2026-01-31' } })).toBe(1)
      expect(await query({ 'situation.domain': 'education.evaluation' })).toBe(2)
      expect(await query({ 'result.success': true, 'action.type': 'artifact_evaluation' })).toBe(1)
      const found: Rows = await call('search_traces', {
        query: 'recursion feedback',
        fields: ['situation.context', 'result.outcome'],
      })
      expect(found).toMatchObject([{ timestamp: '2026-01-20T10:00:00.000Z' }])
    })

    it('8.2 and 8.3 list perceptions and facts', async () => {
      const call = shaped(await open())
      await call('store_perception', { subject: 'student-123', content: 'Prefers diagrams', confidence: 0.9 })
      await call('store_perception', { subject: 'student-123', content: 'May be bored', confidence: 0.2 })
      await call('store_fact', { fact: { data: { learning_style: 'visual' } }, schema: 'learner_profile' })
      await call('store_fact', { schema: 'learner_profile', data: { learning_style: 'auditory' } })
      expect(await call('get_perceptions', { subject: 'student-123', min_confidence: 0.7 })).toMatchObject([
        { content: 'Prefers diagrams' },
      ])
      expect(
        await call('query_perceptions', {
          filters: { updated_at: { gte: '2026-01-01' } },
          order_by: '-confidence',
        }),
      ).toMatchObject([{ confidence: 0.9 }, { confidence: 0.2 }])
      expect(await call('get_facts', { schema: 'learner_profile' })).toHaveLength(2)
      expect(
        await call('query_facts', { schema: 'learner_profile', path: '$.learning_style', value: 'visual' }),
      ).toMatchObject([{ data: { learning_style: 'visual' } }])
    })
  })

  describe('9 the reference', () => {
    it('9.1 stores, reads and changes each kind of record, and answers its id', async () => {
      const call = shaped(await open())
      const { trace_id } = await call('store_trace', { trace: traceOn('2026-01-31T15:00:00Z') })
      expect(await call('get_trace', { trace_id })).toMatchObject({ id: trace_id, ...traceContent })
      expect(await call('get_trace', { trace_id: 'none' })).toBeNull()
      const { perception_id } = await call('store_perception', {
        perception: {
          type: 'preference',
          subject: 'student-123',
          content: 'Likes examples',
          evidence: [trace_id],
        },
      })
      const update = { updates: { confidence: 0.5 } }
      expect(await call('update_perception', { perception_id, ...update })).toEqual({ updated: true })
      expect(await call('update_perception', { perception_id: 'none', ...update })).toEqual({
        updated: false,
      })
      const { skill_id } = await call('store_skill', {
        skill: {
          id: 'skill-uuid',
          name: 'grade_recursion',
          description: 'Grades exercises on recursion',
          learned_from: { traces: [trace_id], explicit_training: false },
          definition: { triggers: ['submission'], preconditions: ['rubric'], procedure: 'Base case first.' },
          maturity: { level: 'novice', success_rate: 1, last_used: '2026-01-31', usage_count: 1 },
        },
      })
      expect(await call('store_skill', { name: 'grade_recursion', definition: {} })).toMatchObject({
        skill_id,
      })
      expect(await call('get_skill', { skill_name: 'grade_recursion' })).toMatchObject({
        definition: { procedure: '' },
        maturity: { usage_count: 1 },
      })
      expect(
        await call('update_skill_maturity', { skill_name: 'grade_recursion', outcome: true }),
      ).toMatchObject({ skill_id, maturity: { usage_count: 2 } })
      expect(await call('get_stats')).toMatchObject({
        trace_count: 1,
        perception_count: 1,
        skill_count: 1,
        fact_count: 0,
      })
    })

    it('9.2 answers to every tool name', async () => {
      const book = await open()
      const call = shaped(book)
      const tool = (name: string, input: object) => call(`mcp__kstar__${name}`, input)
      expect(await tool('store_trace', traceContent)).toMatchObject({
        trace_id: expect.any(String) as string,
        stored_at: expect.any(String) as string,
      })
      await tool('store_perception', { content: 'The class is ahead of the plan' })
      await tool('store_fact', { schema: 'note', data: { text: 'plan' } })
      expect(await tool('query_memory', {})).toHaveLength(3)
      expect(await tool('query_memory', { type: 'trace' })).toHaveLength(1)
      expect(await tool('query_memory', { query: 'class' })).toMatchObject([{ kind: 'perception' }])
      expect(
        await tool('query_memory', { domain: 'education.evaluation', goal: 'submission' }),
      ).toMatchObject([{ kind: 'trace' }])
      await call('store_skill', { name: 'plan', definition: { procedure: 'Look ahead.' } })
      expect(await tool('update_skill', { skill_name: 'plan', outcome: false })).toMatchObject({
        maturity: { success_rate: 0 },
      })
      const { bundle } = await tool('export_memory', {})
      expect(bundle).toMatchObject({ format: 'kstar-bundle', version: '1.0.0' })
    })
  })

  describe('10 extension points', () => {
    it('10.1 registers the schemas of a domain, and holds facts to them', async () => {
      const call = shaped(await open())
      await call('register_schemas', domainSchemas)
      await call('store_fact', { schema: 'teacher_profile', data: { feedback_tone: 'warm' } })
      expect(
        await failure(call('store_fact', { schema: 'learner_profile', data: { learning_style: 'loud' } })),
      ).toMatchObject({ code: 'invalid-input', details: { path: 'data.learning_style' } })
    })

    it('10.2 registers categories, and holds traces to them', async () => {
      const call = shaped(await open())
      await call('register_trace_category', {
        name: 'artifact_evaluation',
        domain: 'education.evaluation',
        required_fields: ['artifact_id', 'rubric_id', 'scores'],
      })
      await call('register_trace_category', {
        name: 'module_authoring',
        domain: 'education.curriculum',
        required_fields: ['module_id', 'learning_objectives'],
      })
      expect(await failure(call('store_trace', traceContent))).toMatchObject({
        details: { missing: ['action.parameters.scores'] },
      })
      const result = { success: true, outcome: { scores: { clarity: 4 } } }
      await call('store_trace', { ...traceContent, result })
    })

    it('10.3 registers types of tokens, and holds tokens to them', async () => {
      const book = await open()
      const call = shaped(book)
      await call('register_token_type', {
        name: 'evaluation_authority',
        description: 'Authority to evaluate student artifacts',
        scope_pattern: 'course:{course_id}',
        required_permissions: ['evaluate', 'feedback'],
      })
      await call('register_token_type', {
        name: 'submission_authority',
        description: 'Authority to submit artifacts',
        scope_pattern: 'assignment:{assignment_id}',
        required_permissions: ['submit', 'resubmit'],
      })
      if ((await failureOf(signs(book))) !== undefined) return
      const token = { token_type: 'evaluation_authority', permissions: ['evaluate', 'feedback'] }
      await call('store_control_token', { ...token, scope: 'course:CS101' })
      const wrong = await failure(call('store_control_token', { ...token, scope: 'assignment:1' }))
      expect(wrong).toMatchObject({ code: 'invalid-input', details: { path: 'scope' } })
    })
  })
}

/** Whether this host signs for the book: the mirror does not. */
const signs = (book: Daybook) =>
  book.tokens.grant({ scope: 'probe', permissions: [], granted_to: 'probe', expires_at: '2099-01-01' })

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
