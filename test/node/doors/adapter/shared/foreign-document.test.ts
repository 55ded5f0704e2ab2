// Documents that another program wrote among those of an adapter: each adapter skips them and reads its own.
import { expect, it } from 'vitest'
import { daybookSessions } from '../../../../../src/doors/adapter/claude-agent.ts'
import { DaybookStore } from '../../../../../src/doors/adapter/langgraph/langgraph.ts'
import { DaybookSession } from '../../../../../src/doors/adapter/openai-agents.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'

/** Values that look like the head of a large value, and are not. */
const heads: readonly object[] = [
  { $parts: [], $first: '{' },
  { $parts: [], $first: '[1]' },
  { $parts: ['#part gone 1'], $first: '{' },
]

async function openWith(...folders: string[]) {
  const book = await openDaybook({ name: 'foreign', path: ':memory:' })
  const changes = folders.flatMap((folder) =>
    heads.map((value, i) => ({ folder, key: `00000000000${i}`, value: value as never })),
  )
  await book.documents.write({ changes })
  return book
}
const left = async (book: Awaited<ReturnType<typeof openWith>>) => (await book.documents.list()).documents

it('reads, finds and lists the items of a store beside them', async () => {
  await using book = await openWith('store/a/', 'store/%/')
  const store = new DaybookStore(book)
  await store.put(['a'], 'own', { text: 'Grows tomatoes' })
  expect((await store.search([], { limit: 100 })).map(({ key }) => key)).toEqual(['own'])
  expect((await store.search([], { query: 'tomatoes' })).map(({ key }) => key)).toEqual(['own'])
  expect(await store.listNamespaces()).toEqual([['a']])
  expect(await store.get(['a'], '000000000000')).toBeNull()
})

it('reads, changes and clears a session with them', async () => {
  await using book = await openWith('sessions/s/')
  const skipped = new Set<string>()
  const session = new DaybookSession(book, { sessionId: 's', onSkipped: ({ key }) => void skipped.add(key) })
  const items = ['one', 'two'].map((content) => ({ role: 'user' as const, content }))
  await session.addItems(items)
  expect(await session.getItems()).toEqual(items)
  expect(skipped.size).toBe(3)
  expect(await session.popItem()).toEqual(items[1])
  await session.clearSession()
  expect(await left(book)).toEqual([])
})

it('reads, lists and deletes a transcript with them', async () => {
  await using book = await openWith('claude/p/s/main/', 'claude/p/s/sub/%/', 'claude/p/%/main/')
  const store = daybookSessions(book)
  const key = { projectKey: 'p', sessionId: 's' }
  await store.append(key, [{ type: 'user', uuid: 'a' }])
  expect(await store.load(key)).toEqual([{ type: 'user', uuid: 'a' }])
  expect((await store.listSessions('p')).map(({ sessionId }) => sessionId)).toEqual(['s'])
  expect(await store.listSubkeys(key)).toEqual([])
  await store.delete(key)
  expect(new Set((await left(book)).map(({ folder }) => folder))).toEqual(new Set(['claude/p/%/main/']))
})
