// The files of deepagents in a book, by its own backend over our store.
import { CompositeBackend, StoreBackend } from 'deepagents'
import { expect, it } from 'vitest'
import { DaybookStore } from '../../../../../src/doors/adapter/langgraph/langgraph.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'

it('keeps the files of an agent: writes, edits, lists and finds them', async () => {
  await using book = await openDaybook({ name: 'deep', path: ':memory:' })
  const store = new StoreBackend({ store: new DaybookStore(book), namespace: ['filesystem'] })
  const files = new CompositeBackend(store, { '/memories/': store })
  expect((await files.write('/memories/user.md', 'Lives in Lisbon\nLikes rye bread')).error).toBeUndefined()
  expect((await files.edit('/memories/user.md', 'Lisbon', 'Porto')).error).toBeUndefined()
  expect(JSON.stringify(await files.read('/memories/user.md'))).toContain('Lives in Porto')
  expect(JSON.stringify(await files.ls('/memories/'))).toContain('/memories/user.md')
  expect(JSON.stringify(await files.grep('rye', '/memories/'))).toContain('Likes rye bread')
  const [hit] = (await book.recall({ text: 'who lives in Porto' })).hits
  expect(hit?.record).toMatchObject({ kind: 'document', folder: 'store/filesystem/' })
})

it('keeps a picture that an agent uploads', async () => {
  await using book = await openDaybook({ name: 'deep', path: ':memory:' })
  const files = new StoreBackend({ store: new DaybookStore(book), namespace: ['filesystem'] })
  const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 255, 254])
  const [put] = await files.uploadFiles([['/picture.png', picture]])
  expect(put?.error).toBeNull()
  const [got] = await files.downloadFiles(['/picture.png'])
  expect(got).toMatchObject({ error: null })
  expect(new Uint8Array(got?.content ?? [])).toEqual(picture)
})
