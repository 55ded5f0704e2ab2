// Secrets that were only said in passing: no file of a book has them after that.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { oneSecret } from '../../../support/made-secret.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-secret-'))
afterAll(() => rmSync(folder, { recursive: true }))

const secret = oneSecret()
const all = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString('latin1'))
    .join('\n')

it('a key or a password in a question, a purpose or a refused name is in no file of the book', async () => {
  const book = await openDaybook({ name: 'b', path: join(folder, 'b.daybook') })
  await book.perceptions.store({ content: 'deploys run at noon', subject: 'ci' })
  await book.recall({ text: `deploys with ${secret}` }, { purpose: `because of ${secret}` })
  await book.context({ text: 'deploys, password: hunter2-of-mine' })
  const refused = await book.perceptions
    .store({ id: `p-${secret}`, content: 'x' })
    .catch(({ code }: { code: string }) => code)
  await book.close()
  expect(refused).toBe('invalid-input')
  const written = all()
  // The questions are there.
  expect(written).toContain('deploys with [secret: github-token')
  for (const said of [secret, 'hunter2-of-mine']) expect(written).not.toContain(said)
})
