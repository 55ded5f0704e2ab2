// Two tabs of one book that were opened differently, and what becomes of the second when the first is gone.
import { expect, it } from 'vitest'
import { openDaybook } from '../../src/index.ts'
import { failure } from '../contract/book-case.ts'
import { makeTrace } from '../support/trace.ts'

const newName = () => `takeover-${crypto.randomUUID()}`

it('is locked when the only tab with the passphrase is gone, and all else goes on', async () => {
  const name = newName()
  const first = await openDaybook({ name, passphrase: 'correct horse battery' })
  const { id } = await first.perceptions.store({ content: 'Takes insulin', sensitivity: 'sensitive' })
  const { id: plain } = await first.perceptions.store({ content: 'Likes fog' })
  await using second = await openDaybook({ name })
  expect((await second.records.get({ id }))?.['content']).toBe('Takes insulin')
  await first.close()
  expect((await failure(second.records.get({ id }))).code).toBe('locked')
  expect((await second.records.get({ id: plain }))?.['content']).toBe('Likes fog')
  const locked = second.perceptions.store({ content: 'Takes aspirin', sensitivity: 'sensitive' })
  expect((await failure(locked)).code).toBe('locked')
  await second.seal.unlock({ passphrase: 'correct horse battery' })
  expect((await second.records.get({ id }))?.['content']).toBe('Takes insulin')
})

it('opens its keys after a sleep by the last passphrase, and stays locked after seal.lock', async () => {
  await using book = await openDaybook({ name: newName(), passphrase: 'correct horse battery' })
  const { id } = await book.perceptions.store({ content: 'Takes insulin', sensitivity: 'sensitive' })
  const sleep = () => {
    document.dispatchEvent(new Event('freeze'))
    document.dispatchEvent(new Event('resume'))
  }
  const passphrase = 'another long passphrase'
  await book.seal.guard({ passphrase })
  sleep()
  expect((await book.records.get({ id }))?.['content']).toBe('Takes insulin')
  await book.seal.lock()
  sleep()
  expect((await failure(book.records.get({ id }))).code).toBe('locked')
  await book.seal.unlock({ passphrase })
  sleep()
  expect((await book.records.get({ id }))?.['content']).toBe('Takes insulin')
})

it('tells a tab whose mirror is not the one of the tab that holds the book', async () => {
  const name = newName()
  const first = await openDaybook({ name })
  const sync = { url: 'https://mirror.invalid', key: 'none', triggers: 'manual' as const }
  await using second = await openDaybook({ name, sync })
  expect((await first.status()).degraded).toEqual([])
  expect((await second.status()).degraded.join()).toContain(
    'sync: this tab or process was opened with `https://mirror.invalid`',
  )
  expect((await failure(second.sync())).code).toBe('sync-off')
  const told = new Promise((resolve) => second.on('status', (now) => now.degraded && resolve(now)))
  await first.close()
  expect(await told).toEqual({ owner: true, durability: 'opfs', degraded: [] })
  expect((await second.status()).degraded).toEqual([])
  expect((await second.status()).sync.configured).toBe(true)
})

it('passes aborts, deadlines and progress on to the tab that holds the book', async () => {
  const name = newName()
  const first = await openDaybook({ name })
  await using second = await openDaybook({ name })
  expect((await second.status()).owner).toBe(false)
  const lines = Array.from({ length: 400 }, (_, i) => ({ role: 'user', content: `Line ${i}` }))
  const progressed = new Promise((resolve) => second.on('progress', resolve))
  const { imported } = await second.import(JSON.stringify(lines), { name: 'chat.json' })
  expect(imported).toBeGreaterThan(0)
  await progressed
  const traces = Array.from({ length: 1000 }, () => makeTrace())
  const late = failure(second.traces.storeMany({ traces }, { deadlineMs: 1 }))
  expect((await late).code).toBe('deadline-exceeded')
  const abort = new AbortController()
  const cut = failure(second.traces.storeMany({ traces }, { signal: abort.signal }))
  abort.abort()
  const { code, details } = await cut
  expect([code, details['mayHaveBegun']]).toEqual(['aborted', true])
  // Repeated under its requestId, it takes effect once.
  await second.traces.storeMany({ traces }, { requestId: String(details['requestId']) })
  await first.close()
  expect((await second.status()).owner).toBe(true)
})

it('says of an export that the tab which held the book took along that it is to be begun again', async () => {
  const name = newName()
  const first = await openDaybook({ name })
  await using second = await openDaybook({ name })
  const padding = 'x'.repeat(1000)
  const traces = Array.from({ length: 1000 }, () =>
    makeTrace({ action: { type: 'fill', parameters: { padding } } }),
  )
  await second.traces.storeMany({ traces })
  const reader = (await second.export()).getReader()
  expect((await reader.read()).done).toBe(false)
  await first.close()
  const rest = async () => {
    for (;;) if ((await reader.read()).done) return
  }
  expect((await failure(rest())).code).toBe('owner-changed')
  const whole = JSON.parse(await new Response(await second.export()).text()) as { statistics: object }
  expect(whole.statistics).toMatchObject({ trace_count: 1000 })
})
