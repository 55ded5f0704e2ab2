// A book that newer code wrote: older code reads it as it stands, says so, and changes nothing.
import { unknownCases } from './unknown.ts'
import type { HostPlace } from './access/verb-place.ts'
import { expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { type BookCase, failure, failures } from './book-case.ts'
import { exported } from './bundle.ts'

const toNewer = [
  "INSERT INTO schema_version (version, applied_at) VALUES (99, '2099-01-01T00:00:00.000Z')",
  // What a later step may well do.
  'ALTER TABLE records ADD COLUMN added_later TEXT',
]
const back = ['DELETE FROM schema_version WHERE version = 99', 'ALTER TABLE records DROP COLUMN added_later']

export function newerBookCases(cases: BookCase, { role }: HostPlace): void {
  const { book: open, alter } = cases
  unknownCases(cases)

  it('reads a book that a newer Daybook wrote, and refuses to write it', async () => {
    const book = await open()
    const traces = ['Sort the harbour charts', 'Count the lighthouse lamps'].map((goal, i) =>
      makeTrace({ id: `t-${i}`, timestamp: `2026-03-0${i + 1}T10:00:00Z`, task: { goal } }),
    )
    await book.traces.storeMany({ traces })
    const { id: taskId } = await book.tasks.add({
      capability: 'kstar:store_trace',
      input: makeTrace({ id: 'put-off' }),
      delaySeconds: 0,
    })
    await expect.poll(async () => (await book.tasks.get({ id: taskId }))?.state).toBe('done')
    await book.tasks.add({ capability: 'kstar:store_trace', input: makeTrace(), delaySeconds: 86_400 })
    expect((await book.traces.count()).total).toBe(3)

    const newer = await alter(book, toNewer)
    const status = await newer.status()
    expect(status.schema).toBe(99)
    expect(status.degraded.join()).toContain('book-newer')
    expect((await newer.traces.get({ id: 't-0' }))?.task.goal).toBe('Sort the harbour charts')
    expect((await newer.traces.query({ limit: 10 })).records).toHaveLength(3)
    expect((await newer.traces.count()).total).toBe(3)
    expect((await newer.recall({ text: 'lighthouse lamps' })).hits[0]?.record.id).toBe('t-1')
    expect(JSON.parse(await exported(newer))).toMatchObject({ statistics: { trace_count: 3 } })
    const refused = [
      newer.traces.store(makeTrace()),
      newer.records.forget({ id: 't-0' }),
      newer.tasks.add({ capability: 'kstar:store_trace', input: makeTrace() }),
      ...(role === 'mirror' ? [] : [newer.sync()]),
    ]
    for (const error of await failures(refused))
      expect(error).toMatchObject({ code: 'book-newer', retry: false, details: { found: 99 } })

    const again = await alter(newer, back)
    expect((await again.status()).degraded.join()).not.toContain('book-newer')
    expect((await again.traces.count()).total).toBe(3)
    await again.traces.store(makeTrace())
    expect((await again.traces.count()).total).toBe(4)
  })

  it('says of what it cannot read in such a book that it is newer', async () => {
    const book = await open()
    await book.traces.store(makeTrace({ id: 't-0' }))
    const newer = await alter(book, [toNewer[0] ?? '', 'ALTER TABLE history RENAME TO history_2'])
    expect((await newer.traces.get({ id: 't-0' }))?.id).toBe('t-0')
    const error = await failure(newer.traces.history({ id: 't-0' }))
    expect(error).toMatchObject({ code: 'book-newer', details: { found: 99 } })
    expect(String(error.details['reason'])).toContain('history')
    const again = await alter(newer, [back[0] ?? '', 'ALTER TABLE history_2 RENAME TO history'])
    expect((await again.traces.history({ id: 't-0' })).versions).toHaveLength(1)
  })
}
