// The log of access at the engine: what it may lose, what it lets go of, and that nothing a guest does is missing or told.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AccessEntry, accessKeep } from '../../../src/core/capability/access-log.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { flushMs } from '../../../src/engine/service/access-audit.ts'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import type { Caller } from '../../../src/core/capability/caller.ts'
import { parseScope } from '../../../src/core/access/scope.ts'
import { defined } from '../../../src/core/defined.ts'
import { makeTrace } from '../../support/trace.ts'
import { openTestEngine } from '../../support/test-engine.ts'

const scope = parseScope('**')
const guest = (permissions: readonly string[]): Caller => {
  if (!scope) throw new Error('no scope')
  return {
    role: 'guest',
    token: 'token::1',
    agent: 'helper',
    reach: { allow: [scope], deny: [] },
    permissions,
  }
}

const rows = (db: { all(sql: string): readonly object[] }) =>
  db.all('SELECT n, at, caller, capability, outcome, kinds, count, purpose, receipt FROM audit ORDER BY n')
const ignore = () => undefined

describe('the log of access', () => {
  it('is written with the next commit, or a moment later by one of its own', async () => {
    const { engine, db, pass } = openTestEngine()
    await engine.call('kstar:query_traces', {}, { caller: guest(['read']) })
    expect(rows(db)).toEqual([])
    await engine.call('kstar:store_trace', makeTrace())
    expect(rows(db)).toMatchObject([
      { caller: 'helper', capability: 'kstar:query_traces' },
      { caller: 'a', capability: 'kstar:store_trace' },
    ])
    await engine.call('kstar:query_traces', {}, { caller: guest(['read']) })
    await pass(flushMs + 1)
    expect(rows(db)).toHaveLength(3)
    engine.close()
  })

  it('has an entry of a write exactly if there is what was written', async () => {
    const { engine, db, pass } = openTestEngine()
    const writes = [
      engine.call('kstar:store_trace', makeTrace({ id: 'one' })),
      // In the same transaction, which is undone and made again without it.
      engine.call('kstar:complete_trace', { id: 'nobody', result: { success: true } }).catch(ignore),
      engine.call('kstar:store_trace', makeTrace({ id: 'two' })),
    ]
    await Promise.all(writes)
    await pass(flushMs + 1)
    expect(rows(db)).toMatchObject([
      { capability: 'kstar:store_trace', outcome: 'ok', count: 1 },
      { capability: 'kstar:store_trace', outcome: 'ok', count: 1 },
      { capability: 'kstar:complete_trace', outcome: 'not-found', count: 0 },
    ])
    engine.close()
  })

  it('goes by age and by number, the oldest first, in idle time', async () => {
    const db = openNodeDatabase({ path: ':memory:' })
    const first = openTestEngine({ db })
    const old = '2026-01-01T00:00:00.000Z'
    const put = `INSERT INTO audit (at, caller, "by", capability, outcome, kinds, count)
      WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < ?) SELECT ?, 'x', 'owner', '', 'ok', '', 0 FROM r`
    db.run(put, [2500, old])
    db.run(put, [accessKeep.rows + 1500, '2026-07-01T00:00:00.000Z'])
    await first.engine.call('kstar:store_trace', makeTrace())
    await first.pass(600_000)
    const left = db.get<{ n: number; old: number; least: number }>(
      'SELECT count(*) AS n, sum(at < ?) AS old, min(n) AS least FROM audit',
      ['2026-04-01T00:00:00.000Z'],
    )
    expect(left).toEqual({ n: accessKeep.rows, old: 0, least: 4002 })
    first.engine.close()
  })

  it('lets strangers push nothing out of it: the first of each minute is written down', async () => {
    const { engine, db, pass } = openTestEngine()
    for (let i = 0; i < 50; i++)
      await engine
        .call('kstar:query_traces', {}, { bearer: `dbk1.${'A'.repeat(16)}.${'A'.repeat(43)}` })
        .catch(ignore)
    await pass(61_000)
    await engine.call('kstar:query_traces', {}, { as: 'nobody' }).catch(ignore)
    await pass(flushMs + 1)
    expect(rows(db)).toMatchObject([{ outcome: 'unauthorized' }, { outcome: 'unauthorized' }])
    engine.close()
  })

  it('keeps nothing where it is not wanted', async () => {
    const { engine, db, pass } = openTestEngine({ isAudited: false })
    await engine.call('kstar:store_trace', makeTrace())
    await engine.call('kstar:query_traces', {}, { caller: guest(['read']) })
    await pass()
    expect(rows(db)).toEqual([])
    engine.close()
  })

  const secret = 'SECRET-4711'
  const inputs = fc.oneof(
    fc.constant({}),
    fc.constant(makeTrace({ task: { goal: secret } })),
    fc.constant({ id: secret }),
    fc.constant({ query: secret, text: secret }),
    fc.record({ [secret]: fc.constant(secret) }),
    fc.anything(),
  )
  const calls = fc.array(
    fc.record({
      id: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...capabilityTable.map(({ id }) => id as string)) },
        { weight: 1, arbitrary: fc.constant(`no:${secret}`) },
      ),
      input: inputs,
      permissions: fc.constantFrom([], ['read'], ['read', 'write', 'forget'], ['**']),
      purpose: fc.option(fc.constant('grading'), { nil: undefined }),
      passes: fc.boolean(),
    }),
    { maxLength: 12 },
  )

  it('has a row for every call of a guest in any sequence, and no row says anything of what was said', async () => {
    const named = new Set(capabilityTable.map(({ id }) => id as string))
    await fc.assert(
      fc.asyncProperty(calls, async (sequence) => {
        const { engine, db, pass } = openTestEngine()
        const outcomes: unknown[] = []
        for (const { id, input, permissions, purpose, passes } of sequence) {
          const options = { caller: guest(permissions), ...defined({ purpose }) }
          const outcome = await engine.call(id, input, options).then(
            () => 'ok',
            ({ code }: { readonly code: string }) => code,
          )
          outcomes.push([named.has(id) ? id : '', outcome, purpose ?? null])
          if (passes) await pass(flushMs + 1)
        }
        await engine.audit.flush()
        const found = db.all<Pick<AccessEntry, never> & Record<string, never>>(
          'SELECT capability, outcome, purpose FROM audit WHERE caller = ?',
          ['helper'],
        )
        const told = found.map(({ capability, outcome, purpose }) => [capability, outcome, purpose])
        // A task of several transactions has a row for each.
        const once = (list: unknown[]) => list.map((one) => JSON.stringify(one)).toSorted()
        expect(once(told)).toEqual(once(outcomes))
        expect(JSON.stringify(rows(db))).not.toContain(secret)
        engine.close()
      }),
      { numRuns: 60 },
    )
  })
})
