// A purged message of the largest size is in no byte of the book's files.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-long-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('leaves nothing of a purged message of 1,000,000 bytes in the files', async () => {
  const open = () => openDaybook({ name: 'long', path: join(folder, 'long.daybook') })
  const inFiles = () =>
    readdirSync(folder).filter((file) => /wombatx/i.test(readFileSync(join(folder, file)).toString('latin1')))
  const content = 'The wombatx sleeps in the dune. '.repeat(31_250)
  expect(content.length).toBe(1_000_000)
  const book = await open()
  const { id = '' } = await book.conversation.store({ message: { content, source: { type: 'User' } } })
  expect((await book.recall({ text: 'where does the wombatx sleep?' })).hits).toHaveLength(1)
  await book.close()
  expect(inFiles()).not.toEqual([])
  const again = await open()
  await again.records.purge({ id })
  await again.close()
  expect(inFiles()).toEqual([])
})
