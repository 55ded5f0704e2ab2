// Digests of days and weeks with more records than one digest may name.
import { afterEach, describe, expect, it } from 'vitest'
import type { Llm } from '../../../../src/core/ports.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from '../conversation/site.ts'

afterEach(closeSites)

const answer = JSON.stringify({
  summary: [{ text: 'A long day.', from: [1] }],
  decisions: [],
  relationships: [],
  projects: [],
  open_questions: [],
})
const llm: Llm = { name: 'test', limitChars: 10_000_000, answer: () => Promise.resolve(answer) }

/** Stores `counts[i]` messages on the day `i` after Monday, 2026-06-22, and consolidates on 2026-07-01. */
async function consolidated(counts: readonly number[]) {
  const { ports } = createTestTime()
  const { book } = openSite(ports, { llm })
  const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
  for (const [day, count] of counts.entries()) {
    const startMs = Date.UTC(2026, 5, 22 + day, 8)
    for (let from = 0; from < count; from += 1000) {
      const messages = Array.from({ length: Math.min(1000, count - from) }, (_, i) => ({
        content: `Number ${day}-${from + i}`,
        timestamp: new Date(startMs + (from + i) * 1000).toISOString(),
      }))
      await alice.conversation.storeMany({ messages })
    }
  }
  const { degraded } = await alice.days.consolidate()
  const read = async (period: 'day' | 'week') => (await alice.days.list({ period, limit: 100 })).digests
  return { degraded, days: await read('day'), weeks: await read('week') }
}

describe('a digest of many records', () => {
  it('of a week names the records that the model read on all seven days', async () => {
    const { weeks, degraded } = await consolidated(Array.from({ length: 7 }, () => 900))
    expect(degraded).toEqual([])
    expect(weeks).toMatchObject([{ period_id: '2026-W26', raw: 6300, method: 'abstractive' }])
    expect(weeks[0]?.['read']).toHaveLength(6300)
  }, 120_000)

  it('of a day is extractive if the day has more records than a model may read', async () => {
    const { days, degraded } = await consolidated([4001])
    expect(days).toMatchObject([{ period_id: '2026-06-22', raw: 4001, method: 'extractive', read: [] }])
    expect(degraded).toEqual(['The day is too long for the model.'])
  }, 120_000)
})
