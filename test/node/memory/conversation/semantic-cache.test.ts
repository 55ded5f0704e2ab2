// The semantic cache of a book with an embedder: a question that means the same is the same, one on the same subject is not.
import { afterEach, expect, it } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import {
  cosineOf,
  toDirection,
  distinguishingWords,
  questionForm,
} from '../../../../src/memory/conversation/answer/question-similarity.ts'
import { type EmbeddingServer, startEmbeddingServer } from '../../../support/server/embedding-server.ts'

let server: EmbeddingServer | undefined
const books: Daybook[] = []
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
  await server?.close()
  server = undefined
})

async function open(model = 'm'): Promise<Daybook> {
  server ??= await startEmbeddingServer()
  const embedder = { provider: 'http', url: server.url, model } as const
  const book = await openDaybook({ name: 'cache', path: ':memory:', embedder })
  books.push(book)
  return book
}

const question = 'How much money does Ann pay the doctor?'

it('gives an answer for other words of one meaning, and for nothing else', async () => {
  const book = await open()
  await book.conversation.cacheAnswer({ question, answer: 'Fifty.' })
  const ask = async (asked: string) => await book.conversation.cachedAnswer({ question: asked })
  const same = await ask('What salary does the physician bank for Ann?')
  expect(same).toMatchObject({ answer: 'Fifty.', question })
  expect(same.similarity).toBeGreaterThanOrEqual(0.95)
  for (const other of [
    'How much money does Bob pay the physician?',
    'How much money does Ann not pay the physician?',
    'How much money does Ann pay the physician in 2027?',
    'In which storm does Ann drive to the physician?',
  ])
    expect([other, (await ask(other)).answer]).toEqual([other, null])
})

it.each([
  ['How much money does Ann pay the doctor for Bob?', 'How much money does Bob pay the doctor for Ann?'],
  ['Ann paid the doctor which money?', 'Tim paid the doctor which money?'],
])('gives the answer to %j not for %j', async (cached, other) => {
  const book = await open()
  await book.conversation.cacheAnswer({ question: cached, answer: 'Fifty.' })
  const ask = async (asked: string) => (await book.conversation.cachedAnswer({ question: asked })).answer
  expect(await ask(other)).toBeNull()
  expect(await ask(cached.replace('doctor', 'physician'))).toBe('Fifty.')
})

it('with the table of word pieces, gives no answer for the same words in another order', async () => {
  const book = await openDaybook({ name: 'cache', path: ':memory:' })
  books.push(book)
  await book.conversation.cacheAnswer({ question: 'How do I convert JSON to YAML?', answer: 'With yq.' })
  const ask = async (asked: string) => (await book.conversation.cachedAnswer({ question: asked })).answer
  expect(await ask('how do I convert JSON to YAML')).toBe('With yq.')
  expect(await ask('How do I convert YAML to JSON?')).toBeNull()
  expect(await ask('how do i convert yaml to json')).toBeNull()
})

it('keeps the order of names in a long question', () => {
  const list = Array.from({ length: 50 }, (_, i) => `word${i}`).join(' ')
  expect(questionForm(`${list} Ann pays Bob`)).toBe(questionForm(`${list} ann pays bob`))
  expect(questionForm(`${list} Ann pays Bob`)).not.toBe(questionForm(`${list} Bob pays Ann`))
})

it('asks the embedder only when words find nothing, and does without one that fails', async () => {
  const book = await open()
  await book.conversation.cacheAnswer({ question, answer: 'Fifty.' })
  const before = server?.requests.length
  expect((await book.conversation.cachedAnswer({ question: question.toLowerCase() })).answer).toBe('Fifty.')
  expect(server?.requests.length).toBe(before)
  if (server) server.misbehave = (response) => void response.writeHead(500).end()
  expect((await book.conversation.cachedAnswer({ question: 'Does Ann pay a physician?' })).answer).toBeNull()
  await book.conversation.cacheAnswer({ question: 'Who is there?', answer: 'Nobody.' })
  expect((await book.conversation.cachedAnswer({ question: 'who is there' })).answer).toBe('Nobody.')
})

it('compares within one space only, and takes no topics for questions', () => {
  const vector = Float32Array.from([0.6, -0.8, 0])
  const one = toDirection({ space: 'http|m|3|true', vector })
  const other = toDirection({ space: 'http|n|3|true', vector })
  if (!one || !other) throw new Error('no direction')
  expect(cosineOf(one, one)).toBeCloseTo(1, 9)
  expect(cosineOf(one, other)).toBe(0)
  expect(cosineOf(one, { ...one, bytes: 'AAAA' })).toBe(0)
  expect(cosineOf(one, { ...one, bytes: '?' })).toBe(0)
  expect(toDirection({ space: 'lsa|book-1|3|true', vector })).toBeUndefined()
  expect(toDirection({ space: 'meaning|minilm|3|true', vector })).toBeUndefined()
  expect(toDirection({ space: 'http|m|3|true', vector: new Float32Array(3) })).toBeUndefined()
  expect(toDirection(undefined)).toBeUndefined()
  expect(distinguishingWords("Didn't Ann pay 50 to Zoë?")).toBe("didn't ann 50 zoë")
})
