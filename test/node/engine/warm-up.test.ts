// How long a question waits for postings that the book has kept: so long and no longer, by any clock.
import { expect, test } from 'vitest'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { compare, fill, kinds } from '../store/posting/posting-case.ts'
import { openTestStore } from '../../support/test-store.ts'

/** So small that a hundred records are many pieces to read. */
const textIndex = {
  records: 1e6,
  bytes: 1e9,
  segments: { minNewDocuments: 2, maxNewDocuments: 5, maxMergedDocuments: 16 },
}
const pieceMs = 20
const limitMs = 150

test('questions wait so long in all for what was kept; FTS5 answers until the rest is read in idle time', () => {
  const db = openNodeDatabase({ path: ':memory:' })
  const made = openTestStore(kinds, { db, textIndex })
  for (let i = 0; i < 120; i++) made.put({ title: `red t${i}` })
  fill(made)
  const store = openTestStore(kinds, { db, textIndex })
  store.projection.catchUp()
  // Each look at the clock finds it so much later, and there is one look after each piece.
  let looks = 0
  Object.defineProperty(store, 'now', { get: () => 1_769_900_000_000 + pieceMs * looks++ })
  const ask = () => {
    const before = looks
    const found = store.textIndex?.search(['red'], 5)?.length
    return { found, waitedMs: pieceMs * (looks - before) }
  }
  const first = ask()
  expect(first.found).toBeUndefined()
  expect(first.waitedMs).toBeGreaterThan(limitMs / 2)
  expect(first.waitedMs).toBeLessThanOrEqual(limitMs + 2 * pieceMs)
  expect(ask().waitedMs).toBeLessThanOrEqual(pieceMs)
  expect(store.queries.search({ text: 'red', limit: 200 })).toHaveLength(120)
  expect(store.textIndex?.state().state).toBe('cold')
  fill(store)
  expect(compare(store, ['red', 't7'], 30)).toBe(30)
  db.close()
})
