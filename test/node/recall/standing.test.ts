// Standing requests of a person: how to answer, whatever is asked later.
import { expect, it, test } from 'vitest'
import { isStandingRequest } from '../../../src/recall/whole/standing.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'

it.each([
  'Always include the status codes when I ask about errors.',
  'Thanks. Please never use tables.',
  'I prefer step-by-step examples, so can you help me?',
  'Bitte immer mit Quellen.',
  'Toujours en français.',
  'Siempre con ejemplos.',
  'Sempre con esempi.',
  'Altijd kort.',
])('is one: %s', (text) => {
  expect(isStandingRequest(['a title', text])).toBe(true)
})

it.each([
  'I always forget the milk.',
  'The train was never late.',
  'She prefers tea.',
  'Nevertheless it rained.',
  'Mais non.',
  'Never mind.',
  'Immer noch nichts.',
  'Mai war warm.',
])('is none: %s', (text) => {
  expect(isStandingRequest([text])).toBe(false)
})

test('a list has the standing request about its subject among the first', async () => {
  await using book = await openDaybook({ name: 'standing', path: ':memory:', agent: 'ana', timeZone: 'UTC' })
  const said = Array.from(
    { length: 60 },
    (_, i) => `The API answered with failure ${i} today, an API failure again.`,
  )
  const ask = 'Always name the codes when I ask about the API.'
  const messages = [...said, ask].map((content, i) => ({
    content,
    source: { type: 'User' },
    timestamp: new Date(1.7e12 + i * 60_000).toISOString(),
  }))
  await book.conversation.storeMany({ session: 's', messages })
  const { hits } = await book.recall({ text: 'List every failure of the API', limit: 20 })
  expect(hits.map(({ record }) => (record as { content?: unknown }).content)).toContain(ask)
})
