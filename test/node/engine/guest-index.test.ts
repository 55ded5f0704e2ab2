// The first question of a guest in a book that has just been opened.
import { expect, test } from 'vitest'
import { readReach } from '../../../src/core/access/reach.ts'
import type { Caller } from '../../../src/core/capability/caller.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { createTestTime, openTestEngine } from '../../support/test-engine.ts'

const caller: Caller = {
  role: 'guest',
  token: 'claims',
  agent: 'helper',
  reach: readReach({ scope: 'trace:garden' }) ?? expect.unreachable(),
  permissions: ['read'],
  by: 'claims',
}

test('loads the stored postings of the book instead of reading each record anew', async () => {
  const db: SqlDatabase = { ...openNodeDatabase({ path: ':memory:' }), close: () => undefined }
  const first = openTestEngine({ db, textIndex: true })
  for (let from = 0; from < 2500; from += 500)
    await first.engine.call('kstar:store_traces', {
      traces: Array.from({ length: 500 }, (_, i) => ({
        situation: { domain: 'garden' },
        task: { goal: `watered tulip ${from + i} in bed ${i % 7}` },
        action: { type: 'note' },
      })),
    })
  for (let i = 0; i < 30; i++) await first.pass()
  await first.pass()
  await first.engine.close()
  const reads: string[] = []
  const counted: SqlDatabase = {
    ...db,
    all: (sql, params) => {
      if (sql.includes('r.body')) reads.push(sql)
      return db.all(sql, params)
    },
  }
  // Each look at the clock is 200 ms later, so the question itself loads one piece of the postings at most.
  const { ports } = createTestTime()
  let now = ports.clock.now()
  const engine = createEngine({
    db: counted,
    ports: { ...ports, clock: { now: () => (now += 200) } },
    name: 'b',
    scope: { agent: 'a' },
    durability: 'memory',
    textIndex: true,
  })
  reads.length = 0
  const answer = await engine.call('daybook:recall', { text: 'tulip 1234' }, { caller })
  expect((answer as { hits: unknown[] }).hits.length).toBeGreaterThan(0)
  expect(reads.length).toBeLessThan(20)
  await engine.close()
})
