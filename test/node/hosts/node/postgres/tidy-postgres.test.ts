// What is due once a day for a book in PostgreSQL: by one process, and no more than that.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { defined } from '../../../../../src/core/defined.ts'
import { nodePorts } from '../../../../../src/hosts/node/port/node-ports.ts'
import { openPostgresMirrors } from '../../../../../src/hosts/node/postgres/postgres-mirrors.ts'
import { fromOutcome } from '../../../../../src/edge/outcome.ts'
import { defaultRate } from '../../../../../src/edge/rate-limit.ts'
import { makeTrace } from '../../../../support/trace.ts'
import { createPostgres, skipped } from './postgres-world.ts'

const server = createPostgres()
afterAll(server.close)

describe.skipIf(skipped !== '')(`Once a day${skipped}`, () => {
  it('takes away tombstones, keys that ended long ago, old answers and full buckets; in one process, once', async () => {
    const { sql: postgres } = await server.get()
    const time = { aheadMs: 0 }
    const ports = { ...nodePorts, clock: { now: () => Date.now() + time.aheadMs } }
    const open = () => openPostgresMirrors({ postgres, ports, rate: defaultRate })
    const [one, two] = await Promise.all([open(), open()])
    const mirror = one.getByName('b')
    const call = async <Output>(id: string, input: unknown, requestId?: string) =>
      (await fromOutcome(mirror.call(id, input, defined({ requestId })))) as Output
    const { id } = await call<{ id: string }>('kstar:store_trace', makeTrace(), 'once')
    await call('kstar:forget', { id })
    await call('kstar:store_trace', makeTrace())
    const key = await call<{ id: string }>('daybook:create_access_key', { name: 'k', owner: true })
    await call('daybook:revoke_access_key', { id: key.id })
    const count = async (what: string) => {
      const [row] = await postgres.rows<{ n: number }>(`SELECT count(*) AS n FROM daybook.${what}`)
      return row?.n
    }
    const left = () =>
      Promise.all([count('records WHERE deleted = 1'), count('applied_requests'), count('rates')])
    expect(await left()).toEqual([1, 1, 1])
    // It was made today.
    expect(await one.tidy('b')).toBe(false)
    await postgres.rows("UPDATE daybook.books SET created_at = now() - interval '2 days'")
    await postgres.rows("UPDATE daybook.rates SET at = now() - interval '2 days'")
    time.aheadMs = 91 * 86_400_000
    expect((await Promise.all([one.tidy('b'), two.tidy('b')])).toSorted()).toEqual([false, true])
    // The key was forgotten just now: its own tombstone is young, and the other one was there before it.
    expect(await left()).toEqual([1, 0, 0])
    expect(await call('kstar:get_record', { id: key.id })).toBe(null)
    expect(await one.tidy('b')).toBe(false)
    await Promise.all([one.close(), two.close()])
    // Whoever opens a book looks whether it is due.
    await postgres.rows("UPDATE daybook.books SET tidied_at = now() - interval '2 days'")
    const three = await open()
    await fromOutcome(three.getByName('b').call('daybook:status', {}, {}))
    while ((await count("books WHERE tidied_at > now() - interval '1 day'")) === 0) await nextTurn()
    await three.close()
  })
})
