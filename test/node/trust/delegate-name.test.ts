// Names that delegates may have: none that people, or policies, take for somebody else's. Tokens that were made already too.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { foldAgent, isAlikeAgent } from '../../../src/core/text/fold.ts'
import { openDaybook } from '../../../src/hosts/node/book/open-daybook.ts'
import { failure } from '../../contract/book-case.ts'
import { grant, soon } from '../../contract/access/token-grant.ts'

it.each([
  ['helper.', 'helper'],
  ['HELPER', 'helper'],
  ['ｈｅｌｐｅｒ', 'helper'],
  ['hеlpеr', 'helper'],
  ['hel\u200bper', 'helper'],
  ['hélper', 'helper'],
  ['did:a2p:agent:local:helper', 'helper'],
  ['did:a2p:agent:local:my_20_helper', 'my helper'],
  ['he1per', 'helper'],
])('%j and %j are one agent where one must not pass for the other', (one, other) => {
  expect(isAlikeAgent(one, other)).toBe(true)
})

it.each([
  ['helper', 'helpers'],
  ['did:a2p:agent:acme:helper', 'helper'],
  ['...', '!!!'],
  ['助手', '助'],
])('%j and %j are two agents', (one, other) => {
  expect(isAlikeAgent(one, other)).toBe(false)
})

it('a name that folds is folded for good', () => {
  for (const name of ['Hеlpеr 1', 'İstanbul', 'ﬁle-agent', '...'])
    expect(foldAgent(foldAgent(name))).toBe(foldAgent(name))
})

it('a delegate that was granted already is let in nowhere once it has the name of the owner’s agent', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-name-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'book.daybook')
  const first = await openDaybook({ name: 'book', path, agent: 'main' })
  const permissions = ['read', 'delegation']
  const { token } = await grant(first, { permissions, granted_to: 'mallory' })
  const { token: child } = await grant(first, { granted_to: 'boss', expires_at: soon }, token.token_id)
  const { token: below } = await grant(first, {
    granted_to: 'cook',
    parent: token.token_id,
    expires_at: soon,
  })
  await first.traces.query({}, { as: child.token_id })
  await first.close()
  const again = await openDaybook({ name: 'book', path, agent: 'Boss' })
  expect(await failure(again.traces.query({}, { as: child.token_id }))).toMatchObject({
    code: 'unauthorized',
    details: { reason: 'Token names the owner' },
  })
  expect(await again.tokens.verify({ token_id: child.token_id, scope: '**' })).toMatchObject({ valid: false })
  const { tokens } = await again.tokens.list()
  expect(Object.fromEntries(tokens.map(({ token_id, state }) => [token_id, state]))).toEqual({
    [token.token_id]: 'active',
    [child.token_id]: 'foreign',
    [below.token_id]: 'active',
  })
  await again.close()
})
