// Files of other tools: a dry run stores nothing, options that are for bundles are refused, and times are kept.
import { expect, it } from 'vitest'
import { DaybookError } from '../../../src/core/errors.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'

const open = () => openDaybook({ name: 'files', path: ':memory:' })
const chat = JSON.stringify({
  messages: [
    { role: 'user', content: 'Where do I live?' },
    { role: 'assistant', content: 'In Porto.' },
  ],
})
const run = JSON.stringify({
  trajectory: [{ action: 'ls', observation: 'a.txt', response: 'look', thought: 'look' }],
  info: {},
})

it.each([
  ['a chat', chat, 2],
  ['a trajectory', run, 1],
])('says what an import of %s would bring, and stores nothing', async (_what, text, count) => {
  await using book = await open()
  expect(await book.import(text, { dry_run: true })).toMatchObject({
    imported: count,
    skipped: 0,
    dry_run: true,
  })
  expect((await book.stats()).total).toBe(0)
  expect(await book.import(text)).toMatchObject({ imported: count, dry_run: false })
  expect(await book.import(text, { dry_run: true })).toMatchObject({ imported: 0, skipped: count })
  expect((await book.stats()).total).toBe(count)
})

it('refuses options of a bundle for a file that is none', async () => {
  await using book = await open()
  for (const [option, value] of [
    ['mode', 'replace'],
    ['kinds', ['trace']],
    ['passphrase', 'a long passphrase'],
    ['signed_by', 'did:key:z6Mk'],
  ] as const) {
    expect(await failure(book.import(chat, { [option]: value }))).toMatchObject({
      code: 'invalid-input',
      details: { path: expect.stringMatching(new RegExp(`^(?:options\\.)?${option}$`)) as string },
    })
  }
  expect((await book.stats()).total).toBe(0)
})

it('keeps when a memory of mem0 was made and changed', async () => {
  await using book = await open()
  const results = [
    {
      id: 'a',
      memory: 'Likes tea',
      created_at: '2024-05-01T10:00:00-07:00',
      updated_at: '2025-06-01T00:00:00Z',
    },
    { id: 'b', memory: 'Lives in Porto', created_at: '2024-07-01T00:00:00Z', updated_at: null },
    { id: 'c', memory: 'Has a dog', updated_at: '2024-08-01T00:00:00Z' },
  ]
  await book.import(JSON.stringify({ results }))
  const { records } = await book.perceptions.query({ order_by: 'created_at' })
  expect(records.map(({ content, created_at, updated_at }) => [content, created_at, updated_at])).toEqual([
    ['Likes tea', '2024-05-01T17:00:00.000Z', '2025-06-01T00:00:00.000Z'],
    ['Lives in Porto', '2024-07-01T00:00:00.000Z', '2024-07-01T00:00:00.000Z'],
    ['Has a dog', '2024-08-01T00:00:00.000Z', '2024-08-01T00:00:00.000Z'],
  ])
  expect((await book.recall({ text: 'tea', at: '2024-06-01' })).hits).toHaveLength(1)
})

it('says what to do once, also about an error that came of another', () => {
  const inner = new DaybookError('offline')
  expect(new DaybookError('offline', inner.message).message).toBe(inner.message)
  const outer = new DaybookError('embedder-failed', inner.message)
  expect(outer.message.match(/Nothing is lost/g)).toHaveLength(1)
})
