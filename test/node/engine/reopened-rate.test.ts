// Rate limits of policies after the engine opens again: the access log gives the calls that were counted before.
import { expect, it } from 'vitest'
import { parseScope } from '../../../src/core/access/scope.ts'
import type { Caller } from '../../../src/core/capability/caller.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openTestEngine } from '../../support/test-engine.ts'

function guest(permissions: readonly string[] = ['read'], agent = 'helper'): Caller {
  return {
    role: 'guest',
    token: 'token::1',
    agent,
    ...(agent === 'helper'
      ? {}
      : { holders: [agent, 'helper'].map((one) => ({ names: [one], agent: one })) }),
    reach: { allow: [parseScope('**') ?? []].flat(), deny: [] },
    permissions,
  }
}

async function openLimited(requests: number) {
  const db: SqlDatabase = { ...openNodeDatabase({ path: ':memory:' }), close: () => undefined }
  let opened = openTestEngine({ db })
  await opened.engine.call('consent:set_policy', {
    forAgents: 'helper',
    allow: ['a2p:*'],
    permissions: ['read_scoped'],
    conditions: { rateLimit: { requests, window: '1h' } },
  })
  const call = (id: string, caller = guest(), more: object = {}) =>
    opened.engine.call(id, {}, { caller, ...more }).then(
      () => 'ok',
      ({ code }: { readonly code: string }) => code,
    )
  return {
    db,
    call,
    query: () => call('a2p:query_memories'),
    /** As a mirror logs a sync. */
    async sync() {
      const accessor = { caller: 'helper', by: 'token', id: 'token::1' } as const
      opened.engine.audit.note({ accessor, capability: 'daybook:sync', outcome: 'ok' })
    },
    async reopen() {
      await opened.engine.audit.flush()
      await opened.engine.close()
      opened = openTestEngine({ db })
    },
  }
}

const times = async (count: number, work: () => Promise<unknown>) => {
  for (let i = 0; i < count; i++) await work()
}

it('counts the calls before, and all of them', async () => {
  const { db, query, reopen } = await openLimited(1200)
  await query()
  await reopen()
  db.run(`INSERT INTO audit (at, caller, "by", capability, outcome, kinds, count)
    WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1099)
    SELECT at, caller, "by", capability, outcome, kinds, count FROM audit, r WHERE caller = 'helper'`)
  await times(99, query)
  expect([await query(), await query()]).toEqual(['ok', 'consent-required'])
  await reopen()
  expect(await query()).toBe('consent-required')
})

it('does not count watching, refused calls, calls of unknown verbs and syncs', async () => {
  const { call, query, reopen, sync } = await openLimited(5)
  await times(10, () => call('access:reach'))
  await times(10, () => call('a2p:query_memories', guest([])))
  await times(10, () => call('no:verb'))
  await times(10, sync)
  expect(await query()).toBe('ok')
  await reopen()
  await times(4, async () => expect(await query()).toBe('ok'))
  expect(await query()).toBe('consent-required')
})

it('counts the calls of delegates for their holder, before and after', async () => {
  const { call, query, reopen } = await openLimited(5)
  const delegate = () => call('a2p:query_memories', guest(['read'], 'cook by helper'))
  await times(2, delegate)
  await reopen()
  await times(2, delegate)
  expect([await query(), await query()]).toEqual(['ok', 'consent-required'])
})
