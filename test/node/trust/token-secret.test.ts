// The secret of a token is in the answer of `grant` and in nothing that a book leaves behind; and what tokens of before, which
// have none, are still good for.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openNodeKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { signedText } from '../../../src/trust/token.ts'
import { makeTrace } from '../../support/trace.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-secret-'))
afterAll(() => rmSync(folder, { recursive: true }))
const asked = {
  scope: '**',
  permissions: ['read', 'delegation'],
  granted_to: 'reader',
  expires_at: '2099-01-01T00:00:00.000Z',
}

it('leaves the secret in no file of the book, while it is open and afterwards', async () => {
  const path = join(folder, 'book.daybook')
  const book = await openDaybook({ name: 'book', path, checkpoint: true })
  const { bearer = '' } = await book.tokens.grant(asked, { requestId: 'once' })
  await book.tokens.grant(asked, { requestId: 'once' })
  await book.conversation.cacheAnswer({ question: 'Who may read?', answer: 'The reader', records: [] })
  const [, , secret = ''] = bearer.split('.')
  expect(secret).toHaveLength(43)
  const bytes = Buffer.from(secret, 'base64url')
  const forms = [
    Buffer.from(secret),
    bytes,
    Buffer.from(bytes.toString('hex')),
    Buffer.from(bearer.slice(-60)),
  ]
  const expectNothing = () => {
    const files = readdirSync(folder)
    expect(files).toContain('book.daybook')
    for (const file of files)
      for (const form of forms)
        expect([file, readFileSync(join(folder, file)).includes(form)]).toEqual([file, false])
  }
  expectNothing()
  await book.close()
  expectNothing()
})

it('lets the owner use, verify and delegate a token of before', async () => {
  const path = join(folder, 'old.daybook')
  await using book = await openDaybook({ name: 'old', path })
  await book.traces.store(makeTrace({ id: 'one' }))
  const { secret_hash: _hash, signature: _signature, ...claims } = (await book.tokens.grant(asked)).token
  const signer = await openNodeKeyring(`${path}.key`).signer()
  const before = { ...claims, token_id: 'before' }
  const token = { ...before, signature: (await signer?.sign(signedText(before))) ?? '' }
  expect(await book.tokens.store(token)).toEqual({ token_id: 'before' })
  const as = { as: 'before' }
  expect((await book.traces.query({}, as)).records.map(({ id }) => id)).toEqual(['one'])
  expect(await book.tokens.verify({ token_id: 'before', scope: 'trace:**' })).toMatchObject({ valid: true })
  const narrower = { ...asked, granted_to: 'helper', permissions: ['read'], parent: 'before' }
  const below = await book.tokens.grant(narrower)
  expect(below.bearer).toMatch(/^dbt2\./)
  expect(
    (await book.tokens.lineage({ token_id: below.token.token_id })).tokens.map((one) => one.token_id),
  ).toEqual([below.token.token_id, 'before'])
  await book.tokens.revoke({ token_id: 'before', reason: 'over' })
  await expect(book.traces.query({}, as)).rejects.toMatchObject({ code: 'unauthorized' })
})
