// Threads longer than one answer or the cache: read and listed whole, in pages.
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint'
import { expect, it } from 'vitest'
import { DaybookSaver } from '../../../../../src/doors/adapter/langgraph/langgraph.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { failure } from '../../../../contract/book-case.ts'

const open = () => openDaybook({ name: 'saver', path: ':memory:' })
const metadata = { source: 'loop', step: 0, parents: {} } as const
const config = { configurable: { thread_id: 'long', checkpoint_ns: '' } }

it('reads a thread of more characters than it caches', async () => {
  await using book = await open()
  const messages = Array.from({ length: 30 }, (_, n) => ({ n, text: `${n}`.padEnd(200_000, 'x') }))
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(1), channel_values: { messages } }
  const writer = new DaybookSaver(book)
  const at = await writer.put(config, checkpoint, metadata)
  await writer.putWrites(at, [['messages', messages]], 'task')
  for (const saver of [writer, new DaybookSaver(book)]) {
    const tuple = await saver.getTuple(config)
    expect(tuple?.checkpoint.channel_values).toEqual({ messages })
    expect(tuple?.pendingWrites).toEqual([['task', 'messages', messages]])
    const listed = []
    for await (const one of saver.list(config)) listed.push(one.checkpoint.channel_values)
    expect(listed).toEqual([{ messages }])
  }
})

it('answers with the parts in pages, none above 800,000 characters', async () => {
  await using book = await open()
  const messages = Array.from({ length: 9 }, (_, n) => ({ n, text: `${n}`.padEnd(300_000, 'x') }))
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(1), channel_values: { messages } }
  await new DaybookSaver(book).put(config, checkpoint, metadata)
  const pages: number[] = []
  const present: string[] = []
  for (let isMore = true; isMore;) {
    const { parts, more } = await book.checkpoints.read({ thread: 'long', present })
    pages.push(Object.values(parts).reduce((sum, text) => sum + text.length, 0))
    present.push(...Object.keys(parts))
    isMore = more === true
  }
  expect(Math.max(...pages)).toBeLessThanOrEqual(800_000)
  expect([pages.length, new Set(present).size]).toEqual([5, 9])
})

it.each([
  ['short messages', (n: number) => `message ${n} ${'x'.repeat(150)}`, 12_000],
  ['messages in Chinese', (n: number) => `${n} ${'\u4e2d'.repeat(150)}`, 6000],
])('stores a thread of many %s, and little with each step', async (_what, textOf, count) => {
  await using book = await open()
  const messages = Array.from({ length: count }, (_, n) => ({ n, text: textOf(n) }))
  const saver = new DaybookSaver(book)
  const before = { ...emptyCheckpoint(), id: uuid6(1), channel_values: { messages } }
  const at = await saver.put(config, before, metadata)
  const { usageBytes } = await book.status()
  const longer = { messages: [...messages, { n: count, text: textOf(count) }] }
  const after = { ...emptyCheckpoint(), id: uuid6(2), channel_values: longer }
  await saver.put(at, after, metadata)
  const grown = (await book.status()).usageBytes - usageBytes
  expect(grown).toBeLessThan(300_000)
  const tuple = await new DaybookSaver(book).getTuple(config)
  expect(tuple?.checkpoint.channel_values).toEqual(longer)
})

it('has parts that a sync takes: below 700,000 bytes', async () => {
  await using book = await open()
  const text = Array.from({ length: 9000 }, (_, n) => `${n}${'\u4e2d'.repeat(100)}`).join('')
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(1), channel_values: { text } }
  await new DaybookSaver(book).put(config, checkpoint, metadata)
  const { records } = await book.records.query({ kind: 'checkpoint_part' })
  const sizes = records.map((one) => Buffer.byteLength(JSON.stringify(one)))
  expect(sizes.length).toBeGreaterThan(3)
  expect(Math.max(...sizes)).toBeLessThan(700_000)
  const tuple = await new DaybookSaver(book).getTuple(config)
  expect(tuple?.checkpoint.channel_values).toEqual(checkpoint.channel_values)
})

it('refuses a part whose content is not what was stored, and names it', async () => {
  await using book = await open()
  await using other = await open()
  const messages = [{ text: 'a'.repeat(500) }, { text: 'b'.repeat(500) }]
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(1), channel_values: { messages } }
  await new DaybookSaver(book).put(config, checkpoint, metadata)
  const [hash = ''] = Object.keys((await book.checkpoints.read({ thread: 'long' })).parts)
  // Another writer stored a different text under the hash of this part.
  const place = { thread: 'long', checkpoint: 'foreign', state: '{}', metadata: '{}' }
  await other.checkpoints.put({ ...place, parts: [hash], data: { [hash]: 'something else' } })
  const saver = new DaybookSaver(other)
  await saver.put(config, checkpoint, metadata)
  const fault = { code: 'invalid-file', details: { part: hash } }
  const one = { configurable: { ...config.configurable, checkpoint_id: checkpoint.id } }
  expect(await failure(new DaybookSaver(other).getTuple(one))).toMatchObject(fault)
  const list = async () => {
    for await (const found of new DaybookSaver(other).list(config)) expect(found).toBeUndefined()
  }
  expect(await failure(list())).toMatchObject(fault)
})
