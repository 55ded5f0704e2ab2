// A book that one process erases while another has a copy of it, which writes to the database by itself.
import { afterAll, describe, expect, it } from 'vitest'
import { fromOutcome } from '../../../../../src/edge/outcome.ts'
import { usualRate } from '../../../../../src/edge/rate-limit.ts'
import { nodePorts } from '../../../../../src/hosts/node/port/node-ports.ts'
import { openPostgresMirrors } from '../../../../../src/hosts/node/postgres/postgres-mirrors.ts'
import { createPostgres, skipped } from './postgres-world.ts'

const server = createPostgres()
afterAll(server.close)

describe.skipIf(skipped !== '')(`A book that another process erased${skipped}`, () => {
  it('is said to be erased at once, also when its log of access found it gone before', async () => {
    const { sql: postgres } = await server.get()
    const due: (() => void)[] = []
    const scheduler: typeof nodePorts.scheduler = {
      ...nodePorts.scheduler,
      later: (_ms, run) => {
        due.push(run)
        return () => undefined
      },
    }
    let warn: () => void = () => undefined
    const warned = new Promise<void>((resolve) => (warn = resolve))
    const ports = { ...nodePorts, scheduler, log: { ...nodePorts.log, warn } }
    const open = () => openPostgresMirrors({ postgres, ports, rate: usualRate })
    const [one, two] = await Promise.all([open(), open()])
    const at = one.getByName('b')
    const call = (id: string, input: unknown, key?: string) =>
      fromOutcome(at.call(id, input, key === undefined ? {} : { bearer: key }))
    const { key } = (await call('daybook:create_access_key', { name: 'k', permissions: ['read'] })) as {
      key: string
    }
    // What a guest reads is noted in the log of access, and written some time later.
    await call('kstar:query_traces', {}, key)
    expect(due.length).toBeGreaterThan(0)
    await fromOutcome(two.getByName('b').erase({ confirm: 'b' }, {}))
    for (const run of due.splice(0)) run()
    await warned
    const answers = await Promise.allSettled(Array.from({ length: 3 }, () => call('daybook:status', {})))
    expect(
      answers.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : '')),
    ).toEqual(['book-erased', 'book-erased', 'book-erased'])
    await expect(call('daybook:status', {})).rejects.toMatchObject({ code: 'book-erased' })
    await Promise.all([one.close(), two.close()])
  })
})
