// Katra's tools in the words of their description, one after the other as an agent would call them.
import { describe, expect, it } from 'vitest'
import { callSeedShape } from '../../../src/doors/seed-shape/seed-shape.ts'
import type { BookCase } from '../book-case.ts'

export function katraShapeCases({ book: open }: BookCase): void {
  const tools = async () => {
    const book = await open()
    const at = { call: (id: string, input: unknown) => book.call(id, input), now: () => Date.now() }
    return (name: string, input: object = {}) =>
      callSeedShape(name, input, at) as Promise<Readonly<Record<string, never>>>
  }

  describe('the tools of Katra', () => {
    it('register a persona and start its session, and know it when it returns', async () => {
      const call = await tools()
      const first = await call('katra_register', { name: 'Alice', role: 'developer' })
      expect(first).toMatchObject({ is_new: true, sessions: 1, context: null })
      expect(first['ci_id']).toMatch(/^mcp_Alice_[0-9a-f]{8}_\d+$/)
      expect(await call('katra_whoami')).toMatchObject({
        ci_id: first['ci_id'],
        name: 'Alice',
        role: 'developer',
        session_id: first['session_id'],
      })
      expect(await call('katra_register', { name: 'Alice', role: 'developer' })).toMatchObject({
        ci_id: first['ci_id'],
        is_new: false,
        session_id: first['session_id'],
      })
      expect(await call('session_end')).toMatchObject({ session_id: first['session_id'], state: 'ended' })
      const back = await call('session_start', { ci_id: first['ci_id'] })
      expect(back['session_id']).not.toBe(first['session_id'])
      expect(back['context']).toContain('# Where Alice left off')
    })

    it('remember, learn, decide and recall', async () => {
      const call = await tools()
      await call('katra_register', { name: 'Alice' })
      const kept = await call('katra_remember', {
        content: 'Learned about Docker containerization',
        context: 'significant',
      })
      expect(kept).toMatchObject({ stored: true, importance: 0.75 })
      expect(await call('semantic_learn', { knowledge: 'Images have layers.' })).toMatchObject({
        stored: true,
      })
      await call('katra_decide', { decision: 'Use Podman', reasoning: 'no daemon' })
      const found = await call('katra_recall', { topic: 'Docker' })
      expect((found as { memories?: readonly unknown[] }).memories?.[0]).toMatchObject({
        id: kept['memory_id'],
        type: 'experience',
        content: 'Learned about Docker containerization',
      })
      expect(await call('recall_recent_thoughts', { max_results: 2 })).toMatchObject({
        count: 2,
        memories: [{ content: 'Decision: Use Podman (Reasoning: no daemon)' }, {}],
      })
      expect(await call('recall_relevant_memories', { max_results: 5 })).toMatchObject({ count: 3 })
    })

    it('review a turn, mark what was kept in it, and list its collections', async () => {
      const call = await tools()
      await call('katra_register', { name: 'Alice' })
      await call('begin_turn')
      const { memory_id } = await call('katra_remember', { content: 'Casey helped.', context: 'matters' })
      expect(await call('katra_review_turn')).toEqual({ memory_ids: [memory_id], count: 1 })
      const metadata = { memory_id, personal: true, not_to_archive: true, collection: 'People/Casey' }
      expect(await call('katra_update_metadata', metadata)).toEqual(metadata)
      expect(await call('end_turn')).toEqual({ memory_ids: [memory_id], count: 1 })
      expect(await call('get_personal_collections')).toEqual({ collections: ['People/Casey'], count: 1 })
    })

    it('tell the day, take and restore snapshots, and consolidate', async () => {
      const call = await tools()
      const { ci_id } = await call('katra_register', { name: 'Alice' })
      await call('katra_learn', { knowledge: 'The audit is in March.' })
      expect(await call('katra_sunrise_basic', { ci_id })).toEqual({
        day: null,
        is_yesterday: false,
        summary: null,
        key_events: [],
        open_questions: [],
      })
      const { summary } = await call('katra_sundown_basic', { ci_id })
      expect(summary).toContain('The audit is in March.')
      const taken = await call('capture_context_snapshot', { ci_id, focus_description: 'the audit' })
      expect(await call('restore_context_as_latent_space', { ci_id })).toEqual({
        markdown: taken['markdown'],
      })
      expect(await call('auto_consolidate', { dry_run: true })).toMatchObject({ archived: 0 })
    })

    it('answer errors under their own names', async () => {
      const call = await tools()
      const error = async (name: string, input: object = {}) => (await call(name, input))['error']
      expect(await error('katra_whoami')).toBe('E_NOT_INITIALIZED')
      expect(await error('katra_review_turn')).toBe('E_NOT_INITIALIZED')
      await call('katra_register', { name: 'Alice', role: 'developer' })
      expect(await error('katra_register', { name: 'Alice', role: 'tester' })).toBe('E_ALREADY_INITIALIZED')
      expect(await error('katra_register', { name: 'a\u0000' })).toBe('E_INPUT_INVALID')
      expect(await error('katra_remember', { content: 'x'.repeat(20_000), context: '' })).toBe(
        'E_INPUT_TOO_LONG',
      )
      expect(await error('katra_update_metadata', { memory_id: 'none', personal: true })).toBe(
        'E_INPUT_INVALID',
      )
      expect(await error('katra_sunrise_basic', { ci_id: 'mcp_Nobody' })).toBe('E_INPUT_INVALID')
      await call('begin_turn')
      expect(await error('begin_turn')).toBe('E_ALREADY_INITIALIZED')
    })
  })
}
