// Real runs of a public coding agent, where they lie beside the checkout.
import { describe, expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { realTrajectories } from '../../support/trajectories.ts'

const files = realTrajectories()

describe.skipIf(files.size === 0)(
  'real trajectories (skipped where there are none beside the checkout)',
  () => {
    it.each([...files])('%s is imported step by step and can be recalled', async (name, text) => {
      await using book = await openDaybook({ name: 'real', path: ':memory:' })
      const run = JSON.parse(text) as {
        trajectory?: unknown[]
        history: { role: string; is_demo?: boolean }[]
      }
      const spoken = run.history.filter(({ role, is_demo }) => role === 'assistant' && !is_demo)
      const steps = run.trajectory?.length ?? spoken.length
      const { imported, session } = await book.import(text, { name })
      expect(imported).toBe(steps)
      const { records } = await book.traces.query({
        filters: { session },
        orderBy: 'timestamp',
        limit: 1000,
      })
      expect(records).toHaveLength(steps)
      expect(records.every(({ task, action }) => task.goal !== '' && action.type !== '')).toBe(true)
      const { hits } = await book.recall({ text: 'which file did the agent open or edit to fix the bug?' })
      expect(hits.length).toBeGreaterThan(0)
    })

    it('all of them in one book: the question finds the run it is about', async () => {
      await using book = await openDaybook({ name: 'real', path: ':memory:' })
      for (const [name, text] of files) await book.import(text, { name })
      const { hits } = await book.recall({
        text: 'rounding of milliseconds in the TimeDelta serializer',
        limit: 5,
      })
      expect(hits[0]?.record['session']).toMatch(/marshmallow/)
      const colon = await book.recall({ text: 'missing colon syntax error in division', limit: 5 })
      expect(colon.hits[0]?.record['session']).toMatch(/test-repo|function_calling/)
    })
  },
)
