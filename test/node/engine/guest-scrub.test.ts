// A guest that seals its records does not hold the book up while the words leave the files.
import { expect, it } from 'vitest'
import type { Caller } from '../../../src/core/capability/caller.ts'
import { readReach } from '../../../src/core/access/reach.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { makeTrace } from '../../support/trace.ts'

it('takes the words of what a guest seals out of the index in idle time, once for many', async () => {
  const db = openNodeDatabase({ path: ':memory:' })
  let merges = 0
  const run: typeof db.run = (sql, params) => {
    if (sql.includes('optimize')) merges += 1
    db.run(sql, params)
  }
  const { ports, pass } = createTestTime()
  const engine = createEngine({
    db: { ...db, run },
    ports,
    name: 'book',
    scope: { agent: 'agent' },
    durability: 'memory',
    vault: openNodeVault(undefined),
    openMemory: () => openNodeDatabase({ path: ':memory:' }),
  })
  const caller: Caller = {
    role: 'guest',
    token: 'claims',
    agent: 'helper',
    reach: readReach({ scope: 'trace:**' }) ?? expect.unreachable(),
    permissions: ['read', 'write', 'forget'],
    by: 'claims',
  }
  const ids: string[] = []
  for (let i = 0; i < 20; i++) {
    const { id } = (await engine.call('kstar:store_trace', makeTrace(), { caller })) as {
      id: string
    }
    ids.push(id)
  }
  await pass(60_000)
  for (const id of ids)
    await engine.call('kstar:set_sensitivity', { id, sensitivity: 'sensitive' }, { caller })
  expect(merges).toBe(0)
  await pass(60_000)
  expect(merges).toBe(1)
  // What the owner purges is gone when that is answered; what changes nothing merges nothing.
  await engine.call('kstar:purge', { id: ids[1] })
  expect(merges).toBe(2)
  await engine.call('kstar:set_sensitivity', { id: ids[2], sensitivity: 'sensitive' })
  expect(merges).toBe(2)
  engine.close()
})
