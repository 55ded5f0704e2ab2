// A tab that follows hands on in whose name a call is made, as the tab that has the book does.
import { expect, it } from 'vitest'
import { openDaybook } from '../../src/index.ts'
import { exported } from '../contract/bundle.ts'
import { expectRefused } from '../contract/access/caller.ts'
import { makeTrace } from '../support/trace.ts'

it('refuses every method with a revoked token in a tab that follows', async () => {
  const name = `caller-${crypto.randomUUID().slice(0, 8)}`
  await using owner = await openDaybook({ name })
  await using follower = await openDaybook({ name })
  expect((await follower.status()).owner).toBe(false)
  await follower.traces.store(makeTrace())
  const bundle = await exported(follower)
  const asked = { scope: '**', permissions: ['**'], granted_to: 'x', expires_at: '2099-01-01T00:00:00Z' }
  const { token_id } = (await follower.tokens.grant(asked)).token
  await owner.tokens.revoke({ token_id, reason: 'over' })
  const { kinds } = await owner.stats()
  await expectRefused(follower, { as: token_id }, bundle)
  expect((await owner.stats()).kinds).toEqual(kinds)
})
