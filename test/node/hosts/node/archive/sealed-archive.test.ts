// Sensitive records in archives: as they are sealed, or inside what a passphrase encrypts; never in clear.
import { afterAll, expect, it, vi } from 'vitest'
import { neverAborted } from '../../../../../src/core/abort.ts'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { nodeArchives } from '../../../../../src/hosts/node/archive/node-archives.ts'
import { openDaybook } from '../../../../../src/hosts/node/book/open-daybook.ts'
import { startLocalS3 } from '../../../../support/server/local-s3.ts'
import { makeTrace } from '../../../../support/trace.ts'

const s3 = await startLocalS3(1)
for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value)
const target = `s3://${s3.bucket()}/sealed`
const passphrase = 'a long enough passphrase'
const books: Daybook[] = []
const open = async () => {
  const book = await openDaybook({ name: 'own', path: ':memory:', archive: { target } })
  books.push(book)
  return book
}
afterAll(async () => {
  vi.unstubAllEnvs()
  for (const book of books) await book.close()
  await s3.dispose()
})

async function textOf(key: string): Promise<string> {
  const { texts } = await nodeArchives({ target }, undefined).open().read(key, neverAborted)
  let all = ''
  for await (const text of texts) all += text
  return all
}

it('leave sealed, and come back for whoever has the keys or the passphrase', async () => {
  const book = await open()
  await book.seal.guard({ passphrase: 'of the book itself' })
  await book.traces.store(makeTrace({ task: { goal: 'an open goal' } }))
  const secret = { ...makeTrace({ task: { goal: 'a hidden goal' } }), sensitivity: 'sensitive' as const }
  await book.traces.store(secret)

  const { key, records, sealed } = await book.archives.put({})
  const text = await textOf(key)
  expect([records, sealed]).toEqual([2, 1])
  expect(text).toContain('an open goal')
  expect(text).not.toContain('a hidden goal')
  expect(await book.archives.verify({ key })).toMatchObject({ counts: { trace: 2 }, sealed: 1 })

  const other = await open()
  expect((await other.import(text)).bundle).toMatchObject({ imported: 2, unreadable: 1 })
  const keys = await book.seal.exportKeys({ passphrase })
  await other.seal.importKeys({ text: keys.text, passphrase })
  const goals = async (of: Daybook) =>
    (await of.traces.query({ orderBy: 'id', limit: 10 })).records.map(({ task }) => task.goal)
  expect(await goals(other)).toEqual(await goals(book))

  const whole = await book.archives.put({ passphrase })
  expect(whole.sealed).toBeUndefined()
  const third = await open()
  await third.import(await textOf(whole.key), { passphrase })
  expect(await goals(third)).toEqual(await goals(book))
})

it('of a locked book leave sealed all the same', async () => {
  const book = await open()
  await book.seal.guard({ passphrase: 'of the book itself' })
  await book.traces.store({
    ...makeTrace({ task: { goal: 'a hidden goal' } }),
    sensitivity: 'sensitive' as const,
  })
  await book.seal.lock()
  const { key, sealed } = await book.archives.put({})
  expect([sealed, (await textOf(key)).includes('a hidden goal')]).toEqual([1, false])
})
