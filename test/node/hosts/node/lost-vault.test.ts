// A book whose keys are damaged or gone says which file, changes nothing, and names ways out that work.
import { mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-lost-vault-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const losses: Readonly<Record<string, readonly [file: string, lose: (path: string) => void]>> = {
  'the keys are empty': ['vault', (path) => truncateSync(path)],
  'the keys are cut': ['vault', (path) => truncateSync(path, 40)],
  'the key that opens them is gone': ['vault-key', (path) => rmSync(path)],
  'the key that opens them is empty': ['vault-key', (path) => truncateSync(path)],
}

it.each(Object.keys(losses))('%s: the message says how to go on', async (loss) => {
  const [file, lose] = losses[loss] ?? expect.unreachable()
  const path = join(folder, `${loss.replaceAll(' ', '-')}.daybook`)
  const open = () => openDaybook({ name: 'b', path })
  let exported = ''
  {
    await using book = await open()
    await book.perceptions.store({ id: 'open', content: 'The harbour is closed' })
    await book.perceptions.store({ id: 'shut', content: 'Takes insulin', sensitivity: 'sensitive' })
    exported = (await book.seal.exportKeys({ passphrase: 'correct horse battery' })).text
  }
  lose(`${path}.${file}`)
  const refused = { code: 'storage-failed', retry: false, details: { path: `${path}.${file}` } }
  for (let i = 0; i < 2; i++) {
    await using book = await open()
    await expect(book.records.get({ id: 'open' })).rejects.toMatchObject(refused)
  }
  renameSync(`${path}.vault`, `${path}.vault-away`)
  await using book = await open()
  expect(await book.records.get({ id: 'open' })).toMatchObject({ content: 'The harbour is closed' })
  expect(JSON.stringify(await book.perceptions.query({}))).not.toContain('insulin')
  await book.seal.importKeys({ text: exported, passphrase: 'correct horse battery' })
  expect(await book.records.get({ id: 'shut' })).toMatchObject({ content: 'Takes insulin' })
})
