// A locked book imports no bundle with records in clear that it must seal: nothing of it.
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'

it('imports nothing of a bundle in clear that needs its keys while it is locked', async () => {
  await using source = await openDaybook({ name: 'source', path: ':memory:' })
  await source.perceptions.store({ content: 'An open note' })
  await source.memories.store({ content: 'Has hay fever', category: 'a2p:health' })
  const bundle = await new Response(await source.export({ includeSensitive: true })).text()
  await using book = await openDaybook({ name: 'book', path: ':memory:' })
  await book.seal.guard({ passphrase: 'correct horse battery' })
  await book.seal.lock()
  for (const options of [{ dryRun: true }, {}])
    expect((await failure(book.import(bundle, options))).code).toBe('locked')
  expect((await book.perceptions.query()).records).toEqual([])
  await book.seal.unlock({ passphrase: 'correct horse battery' })
  expect((await book.import(bundle)).bundle).toMatchObject({ imported: 2 })
})
