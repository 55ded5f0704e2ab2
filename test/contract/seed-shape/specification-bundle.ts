// The bundle of the P3394 memory specification, and what it says of the safety of bundles.
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/path.ts'
import { type BookCase, failure } from '../book-case.ts'
import { shaped } from './specification.ts'
import { specificationBundle, specificationChecksum, traceContent } from './specification-data.ts'

export function specificationBundleCases({ book: open, reopen }: BookCase): void {
  describe('11 security, and 5 bundles', () => {
    it('5.1 imports the example bundle, with stated defaults for what it leaves out', async () => {
      const book = await open()
      const call = shaped(book)
      const content = specificationBundle
      const integrity = { checksum: specificationChecksum, signature: 'optional-user-signature' }
      const bundle = { ...content, integrity }
      expect(await call('import_bundle', { bundle })).toEqual({
        imported_count: 6,
        updated: 0,
        unchanged: 0,
        forgotten: 0,
        conflicts: [],
      })
      expect(await call('get_trace', { trace_id: 'trace-uuid' })).toMatchObject({
        ...traceContent,
        agent: 'agent-uuid',
        created_at: '2025-09-01T00:00:00.000Z',
        metadata: { mode: 'interactive', tags: [], linked_traces: [] },
      })
      expect(await call('get_skill', { skill_name: 'grade_recursion' })).toMatchObject({
        definition: { triggers: ['submission'], preconditions: [], procedure: '' },
        maturity: { success_rate: 0.75, usage_count: 4 },
        created_at: '2026-01-31T15:00:00.000Z',
      })
      expect(await call('query_perceptions', { order_by: 'created_at' })).toMatchObject([
        { id: 'perception-2', type: 'observation', confidence: 1, evidence: [] },
        { id: 'perception-uuid', type: 'preference' },
      ])
      expect(await call('get_facts', { schema: 'education.learner_profile' })).toMatchObject([
        { id: 'fact-uuid', verified: false },
      ])
      expect(await call('get_stats')).toMatchObject({
        trace_count: 1,
        perception_count: 2,
        fact_count: 2,
        skill_count: 1,
      })
      expect(await call('import_bundle', { bundle })).toMatchObject({ imported_count: 0, unchanged: 6 })
    })

    it('leaves tokens out of a bundle unless they are asked for, and refuses an altered one', async () => {
      const book = await open()
      const call = shaped(book)
      await call('store_trace', traceContent)
      const { bundle } = (await call('kstar:export_bundle', { types: ['traces'] })) as { bundle: JsonObject }
      expect(Object.keys(bundle['memory'] as JsonObject)).toEqual(['traces'])
      const other = shaped(await open())
      expect(await other('kstar:import_bundle', { bundle })).toMatchObject({
        imported_count: 1,
        conflicts: [],
      })
      expect(await other('import_bundle', { bundle, options: { types: ['traces'] } })).toMatchObject({
        imported_count: 0,
      })
      const altered = { ...bundle, exported_at: '2020-01-01T00:00:00.000Z' }
      expect(await failure(other('import_bundle', { bundle: altered }))).toMatchObject({
        code: 'invalid-file',
        details: { path: 'integrity.checksum' },
      })
      const all = (await call('export_bundle', { options: { include_tokens: true } })) as {
        bundle: JsonObject
      }
      expect(all.bundle['memory']).toHaveProperty('control_tokens')
      const again = await reopen(book)
      expect(await shaped(again)('query_traces')).toHaveLength(1)
    })

    it('takes the options of an export in its own spelling', async () => {
      const book = await open()
      const call = shaped(book)
      await call('store_trace', traceContent)
      const options = { include_sensitive: true, types: ['traces'] }
      expect(await call('export_bundle', options)).toHaveProperty('bundle.memory.traces')
      const passphrase = 'long enough for a bundle'
      const { bundle } = (await call('export_bundle', { options: { passphrase } })) as { bundle: string }
      expect(bundle).toContain('AES-256-GCM')
      const other = shaped(await open())
      expect(await other('import_bundle', { bundle, options: { passphrase } })).toMatchObject({
        imported_count: 1,
      })
    })
  })
}
