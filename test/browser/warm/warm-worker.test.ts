import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/index.ts'
import { makeTrace } from '../../support/trace.ts'
import { firstOpen, idleWorkers } from './warm-worker.ts'

const run = crypto.randomUUID().slice(0, 8)
const open = firstOpen((name: string, signal?: AbortSignal) =>
  openDaybook({ name: `${name}-${run}`, agent: 'a', ...(signal && { signal }) }),
)

it('uses a worker again once its book is closed, and never for a book that is opened again', async () => {
  const first = await open('first')
  const { id } = await first.traces.store(makeTrace())
  await first.close()
  await expect.poll(idleWorkers).toBe(1)
  const second = await open('second')
  expect(idleWorkers()).toBe(0)
  expect(await second.traces.get({ id })).toBeNull()
  await second.close()
  await expect.poll(idleWorkers).toBe(1)
  await using again = await open('first')
  expect(idleWorkers()).toBe(1)
  expect((await again.traces.get({ id }))?.id).toBe(id)
})

it('ends a worker whose book was not closed to its end', async () => {
  const idle = idleWorkers()
  const leaving = new AbortController()
  const opening = Promise.all(Array.from({ length: idle + 1 }, (_, i) => open(`left-${i}`, leaving.signal)))
  expect(idleWorkers()).toBe(0)
  leaving.abort()
  await expect(opening).rejects.toMatchObject({ code: 'aborted' })
  // One that comes after has had its answer, and so have they.
  await (await open('last')).close()
  await expect.poll(idleWorkers).toBe(1)
})
