// What guests can do to a book over HTTP, at a `daybook serve` over PostgreSQL.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { guestRouteCases } from '../../../../contract/access/guest-route.ts'
import { guestLateSourceCases } from '../../../../contract/access/guest-late-source.ts'
import { guestMarkCases } from '../../../../contract/access/guest-mark.ts'
import { guestQuoteCases } from '../../../../contract/access/guest-quote.ts'
import { guestSyncCases } from '../../../../contract/access/guest-sync.ts'
import { guestSyncLinkCases } from '../../../../contract/access/guest-sync-link.ts'
import { consentRouteCases } from '../../../../contract/consent/consent-route.ts'
import { proposerRouteCases } from '../../../../contract/consent/proposer-route.ts'
import { sealedConsentRouteCases } from '../../../../contract/consent/sealed-route.ts'
import type { GuestHost } from '../../../../contract/access/guest-world.ts'
import { sealedRouteCases } from '../../../../contract/access/sealed-route.ts'
import { makeTrace } from '../../../../support/trace.ts'
import { skipped } from '../postgres/postgres-world.ts'
import { createServeWorld } from './serve-world.ts'

const { key: ownerKey, start, open, close, run } = createServeWorld()

describe.skipIf(skipped !== '')(`a guest of daybook serve${skipped}`, { timeout: 170_000 }, () => {
  let url = ''
  beforeAll(async () => {
    await open()
    url = (await start()).url
  })
  afterAll(close)

  const host: GuestHost = {
    key: ownerKey,
    async ask(path, { key, body, headers }) {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      return { status: response.status, text: await response.text() }
    },
  }
  guestRouteCases(host)
  guestSyncCases(host)
  guestMarkCases(host)
  guestQuoteCases(host)
  guestLateSourceCases(host)
  guestSyncLinkCases(host)
  proposerRouteCases(host)
  consentRouteCases(host)
  sealedRouteCases(host)
  sealedConsentRouteCases(host)

  it('K6 a device of another name than its key takes over whose its records are', async () => {
    const made = await run({ url, book: 'renamed' }, 'daybook:create_access_key', {
      name: 'laptop',
      permissions: ['sync', 'read'],
    })
    const sync = { url, key: String(made.body['key']), triggers: 'manual' } as const
    await using device = await openDaybook({ name: 'renamed', agent: 'tutor', path: ':memory:', sync })
    const { id } = await device.traces.store(makeTrace())
    const agents = async () => {
      await device.sync()
      const there = await run({ url, book: 'renamed' }, 'kstar:get_record', { id })
      return [(await device.records.get({ id }))?.agent, there.body['agent']]
    }
    expect(await agents()).toEqual(['laptop', 'laptop'])
    await device.traces.complete({ id, result: { success: true, outcome: {} }, replace: true })
    expect(await agents()).toEqual(['laptop', 'laptop'])
    expect(await device.status()).toMatchObject({ sync: { pending: 0 } })
    expect((await device.conflicts.list()).conflicts).toEqual([])
  })
})
