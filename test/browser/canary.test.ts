// What the browser says of keeping a book, and what is said when it has not kept one.
import { expect, it } from 'vitest'
import { openDaybook } from '../../src/index.ts'
import { makeTrace } from '../support/trace.ts'
import { evictBook } from './storage/book-file.ts'

it('asks to be kept after the first write, and tells what the browser answered', async () => {
  await using book = await openDaybook({ name: `kept-${crypto.randomUUID()}` })
  const told = new Promise<boolean | undefined>((resolve) =>
    book.on('status', ({ persisted }) => resolve(persisted)),
  )
  await book.traces.store(makeTrace())
  expect(typeof (await told)).toBe('boolean')
  expect((await book.status()).persisted).toBe(await told)
})

it('tells a book that was evicted from a new one', async () => {
  const name = `evicted-${crypto.randomUUID()}`
  const first = await openDaybook({ name })
  const noted = new Promise((resolve) => first.on('status', resolve))
  await first.traces.store(makeTrace())
  await noted
  expect((await first.status()).degraded).toEqual([])
  await first.close()
  await evictBook(name)

  await using again = await openDaybook({ name })
  const told = new Promise<readonly string[]>((resolve) =>
    again.on('status', ({ degraded }) => degraded && resolve(degraded)),
  )
  expect((await told).join()).toMatch(/^evicted: there was a book of this name here/)
  expect((await again.status()).degraded.join()).toContain('evicted')
  expect((await again.traces.count()).total).toBe(0)
  await again.traces.store(makeTrace())
})
