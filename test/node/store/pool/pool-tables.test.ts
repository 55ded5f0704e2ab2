// How much a copy of a book keeps of what its pool has said: each table is bounded, by rows and by time.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { poolKeep, type PoolWriter } from '../../../../src/core/pool.ts'
import type { SqlDatabase } from '../../../../src/core/ports.ts'
import { formatTime } from '../../../../src/core/time.ts'
import { createPoolTables } from '../../../../src/store/pool/pool-tables.ts'
import { openTestEngine, type TestEngine } from '../../../support/test-engine.ts'

const dayMs = 86_400_000
const now = Date.UTC(2026, 6, 1)
let engine: TestEngine['engine']
let db: SqlDatabase
let pool: PoolWriter
beforeEach(() => {
  ;({ engine, db } = openTestEngine())
  pool = createPoolTables(db)
})
afterEach(() => engine.close())

const rows = (table: string) => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n
/** Rows 1 to `count`, each made of its number. */
const fill = (into: string, values: string, count: number) =>
  db.run(
    `WITH RECURSIVE numbers (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM numbers WHERE i < ?)
     INSERT INTO ${into} SELECT ${values} FROM numbers`,
    [count],
  )
const note = (at: number) =>
  pool.note({
    at: formatTime(at),
    type: 'vote',
    claw: 'ada',
    instance: 'i',
    key: String(at),
    trace: 't',
    result: 'accepted',
    reason: 'new_vote',
  })
const send = (text: string, at: number) =>
  pool.send({ type: 'vote', key: 'k', group: 'g', text, own: true }, at)
const sending = (carrier: string) => pool.outbox(carrier, 100).map(({ text }) => text)

describe('what is kept of a pool', () => {
  it('of its audit is 10,000 entries, none older than 30 days', () => {
    fill(
      'pool_audit (at, type, claw, instance, key, trace, result, reason, count)',
      `'${formatTime(now)}', 'vote', 'ada', 'i', i, 't', 'accepted', 'new_vote', 1`,
      poolKeep.auditRows + 50,
    )
    pool.prune(now, [])
    expect(rows('pool_audit')).toBe(poolKeep.auditRows)
    note(now + 29 * dayMs)
    pool.prune(now + 31 * dayMs, [])
    expect(pool.audit({ limit: 10 }).map(({ at }) => at)).toEqual([formatTime(now + 29 * dayMs)])
  })

  it('of keys by which an envelope is known again is the last 200,000', () => {
    fill('pool_keys (claw, key, hash)', "'ada', i, 'h'", poolKeep.keys + 50)
    pool.prune(now, [])
    expect(rows('pool_keys')).toBe(poolKeep.keys)
    expect([pool.receivedHash('ada', '50'), pool.receivedHash('ada', '51')]).toEqual([undefined, 'h'])
  })

  it('of its outbox is what some carrier still has to send, for a week and 100,000 envelopes', () => {
    for (const text of ['a', 'b', 'c']) send(text, now)
    const { n } = pool.outbox('one', 2)[1] ?? { n: 0 }
    pool.sent('one', n)
    pool.prune(now, ['one', 'two'])
    expect([sending('one'), sending('two')]).toEqual([['c'], ['a', 'b', 'c']])
    pool.sent('two', n)
    pool.prune(now, ['one', 'two'])
    expect(rows('pool_outbox')).toBe(1)
    pool.prune(now + 8 * dayMs, ['one', 'two'])
    send('d', now + 8 * dayMs)
    pool.prune(now + 8 * dayMs, ['one', 'two'])
    // One that is over a week old goes as soon as another one keeps the count.
    expect(sending('one')).toEqual(['d'])
    fill(
      'pool_outbox (at, type, key, grp, text, own)',
      `${now + 8 * dayMs}, 'vote', 'k', 'g', 'e', 1`,
      poolKeep.outbox + 50,
    )
    pool.prune(now + 8 * dayMs, ['one', 'two'])
    expect(rows('pool_outbox')).toBe(poolKeep.outbox)
  })

  it('of who is there is what was heard within the hour', () => {
    const heard = (claw: string, at: number) =>
      pool.present({ claw, instance: 'i', at, status: 'active', own: false })
    heard('ada', now)
    heard('bob', now + 1_800_000)
    pool.prune(now + poolKeep.presenceMs + 1, [])
    expect(pool.presence().map(({ claw }) => claw)).toEqual(['bob'])
  })
})
