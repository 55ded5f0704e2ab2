// Backups of a book whose clock changes.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'

const dayMs = 86_400_000
const start = Date.parse('2026-03-01T00:00:00Z')
const books: Daybook[] = []
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: start })
})
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
  vi.useRealTimers()
})

async function openAlice() {
  const book = await openDaybook({ name: 'b', path: ':memory:', agent: 'me' })
  books.push(book)
  const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
  return { book, alice }
}

it('keeps the backup just made after thirty with a clock that was ahead', async () => {
  const { book, alice } = await openAlice()
  for (let i = 0; i < 30; i++) {
    vi.setSystemTime(start + 365 * dayMs + i * 1000)
    await alice.backups.make()
  }
  vi.setSystemTime(start)
  await alice.thoughts.learn({ knowledge: 'Casey moved to Rome.' })
  const made = await alice.backups.make()
  expect(made).toMatchObject({ madeAt: '2026-03-01T00:00:00.000Z', removed: 1 })
  expect((await alice.backups.list()).backups).toHaveLength(30)
  expect(await book.backups.restore({ id: made.id, dryRun: true })).toMatchObject({ unchanged: made.records })
})

it('keeps the latest backups beside thirty of a device with a clock that is ahead', async () => {
  const { book, alice } = await openAlice()
  for (let i = 0; i < 30; i++) {
    vi.setSystemTime(start + 365 * dayMs + i * 1000)
    await alice.backups.make()
  }
  const made: string[] = []
  for (let day = 0; day < 18; day++) {
    vi.setSystemTime(start + day * dayMs)
    made.push((await alice.backups.make()).id)
  }
  const { backups } = await alice.backups.list()
  const ids = backups.map(({ id }) => id)
  expect(ids).toHaveLength(30)
  // The latest, and half of the other places; the rest belongs to the backups with later times.
  expect(made.filter((id) => ids.includes(id))).toEqual(made.slice(-16))
  for (const id of made.slice(-16)) await book.backups.restore({ id, dryRun: true })
})
