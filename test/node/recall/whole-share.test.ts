// The share of a whole answer that recall returns (`complete`), also where more records answer than recall compares; and
// which records it takes beside those that answer.
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

test('a whole of a few records has none that only shares its domain or its kind of action', async () => {
  const book = open(undefined)
  await book.store(['repair the crane', 'write the letter', 'water the garden', 'bake a cake'])
  const { hits } = await book.recall('crane', asked)
  expect(hits.map(({ record }) => record.id)).toEqual(['t-0'])
})

test('a whole takes records by a word that few records have, not by one that many have', async () => {
  const book = open(undefined)
  const others = Array.from({ length: 100 }, (_, i) => `notes number${i}${i % 12 === 0 ? ' winter' : ''}`)
  await book.store(['crane winter gearbox', 'gearbox delivered', ...others])
  const { hits } = await book.recall('crane', asked)
  expect(hits.map(({ record }) => record.id)).toEqual(['t-0', 't-1'])
})
