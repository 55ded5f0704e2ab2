// An episode of a history whose lines match more than 1,000 stored messages.
import { afterEach, expect, it } from 'vitest'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from './site.ts'

afterEach(closeSites)

it('an episode names all messages of lines with ids, and all that match one line by content', async () => {
  const { book } = openSite(createTestTime().ports)
  const withIds = Array.from({ length: 999 }, (_, i) => ({ id: `m-${i}`, content: `Brick number ${i}.` }))
  const same = Array.from({ length: 1000 }, (_, i) => ({ id: `same-${i}`, content: 'Yes.' }))
  for (const messages of [withIds, same]) await book.conversation.storeMany({ messages })
  const { ok, episodeId } = await book.conversation.archive({ history: [...withIds, { content: 'Yes.' }] })
  expect(ok).toBe(true)
  const { records } = await book.conversation.episodes()
  expect(records).toMatchObject([{ id: episodeId, message_count: 1000 }])
  expect(records[0]?.messages).toHaveLength(1999)
}, 60_000)
