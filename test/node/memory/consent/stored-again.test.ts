// A memory that is stored again under its id: the same one is unchanged, another source is another memory.
import { afterEach, expect, it } from 'vitest'
import { failure } from '../../../contract/book-case.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from '../conversation/site.ts'

afterEach(closeSites)

it('is unchanged without a source, and a conflict with another one', async () => {
  const { ports, pass } = createTestTime()
  const { book } = openSite(ports)
  const memory = { id: 'mem_1', content: 'Likes jazz', category: 'a2p:interests.music' }
  const imported = { type: 'user_import', importSource: 'old-notes' } as const
  expect(await book.memories.store({ ...memory, source: imported })).toMatchObject({ result: 'stored' })
  const before = await book.records.get({ id: memory.id })
  await pass(60_000)
  for (const again of [memory, { ...memory, source: imported }])
    expect(await book.memories.store(again)).toMatchObject({ id: memory.id, result: 'unchanged' })
  const others = [
    { type: 'user_manual' as const },
    { ...imported, importSource: 'new-notes' },
    { ...imported, timestamp: '2026-01-01T00:00:00.000Z' },
  ]
  for (const source of others)
    expect(await failure(book.memories.store({ ...memory, source }))).toMatchObject({ code: 'conflict' })
  expect(await book.records.get({ id: memory.id })).toEqual(before)
})
