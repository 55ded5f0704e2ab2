// The share of a whole answer that recall returns (`complete`), also where more records answer than recall compares.
import { expect, test } from 'vitest'
import { open } from './embedding-case.ts'

const asked = { want: 'all', limit: 40, distinct: false }

test('is the returned share of the records with the rarest word of the question', async () => {
  const book = open(undefined)
  await book.store(Array.from({ length: 400 }, (_, i) => `harbour crane number${i}`))
  const { hits, complete } = await book.recall('harbour crane', asked)
  expect([hits.length, complete]).toEqual([40, 0.1])
})

test('is the share by weight if recall compares all of them', async () => {
  const book = open(undefined)
  await book.store(Array.from({ length: 80 }, (_, i) => `harbour crane number${i}`))
  const { complete } = await book.recall('harbour crane', asked)
  // More than their share by number, because the best are returned.
  expect(complete).toBeGreaterThan(0.5)
  expect(complete).toBeLessThan(0.8)
})
