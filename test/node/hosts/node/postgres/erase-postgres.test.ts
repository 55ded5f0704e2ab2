// A book that one process erases while another has a copy of it, which writes to the database by itself.
import { afterAll, describe, expect, it } from 'vitest'
import { defined } from '../../../../../src/core/defined.ts'
import type { MirrorDoor } from '../../../../../src/edge/mirror-door.ts'
import { fromOutcome } from '../../../../../src/edge/outcome.ts'
import { defaultRate } from '../../../../../src/edge/rate-limit.ts'
import { nodePorts } from '../../../../../src/hosts/node/port/node-ports.ts'
import { openPostgresMirrors } from '../../../../../src/hosts/node/postgres/postgres-mirrors.ts'
import { createSharedRate } from '../../../../../src/hosts/node/postgres/shared-admission.ts'
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
    const open = () => openPostgresMirrors({ postgres, ports, rate: defaultRate })
    const [one, two] = await Promise.all([open(), open()])
    const at = one.getByName('b')
    const call = (id: string, input: unknown, key?: string) =>
      fromOutcome(at.call(id, input, defined({ bearer: key })))
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

  it('is said to be erased by a request that crosses that', async () => {
    const { sql: postgres } = await server.get()
    const mirrors = await openPostgresMirrors({ postgres, ports: nodePorts, rate: defaultRate })
    // Its row went after the request had found it, and before its rate was counted.
    const rate = createSharedRate(
      { postgres, book: 'gone-meanwhile', bypasses: false },
      defaultRate,
      nodePorts.clock,
    )
    await expect(rate.charge('somebody')).rejects.toMatchObject({ code: 'book-erased' })
    await mirrors.close()
  })

  it('and begun anew there answers as the new one from the first call on, whoever asks', async () => {
    const { sql: postgres } = await server.get()
    const open = () => openPostgresMirrors({ postgres, ports: nodePorts, rate: defaultRate })
    const [one, two] = await Promise.all([open(), open()])
    const [here, there] = [one.getByName('anew'), two.getByName('anew')]
    const call = (at: MirrorDoor, id: string, input: unknown, bearer?: string) =>
      fromOutcome(at.call(id, input, defined({ bearer })))
    const grant = { name: 'k', permissions: ['read'] }
    for (const first of ['a guest', 'a read', 'a write', 'some at once']) {
      const { key } = (await call(here, 'daybook:create_access_key', grant)) as { key: string }
      await call(here, 'kstar:store_perception', { id: 'old', content: 'of the old one' })
      await fromOutcome(there.erase({ confirm: 'anew' }, {}))
      await fromOutcome(there.begin({ confirm: 'anew' }, {}))
      await call(there, 'kstar:store_perception', { id: 'new', content: 'of the new one' })
      const read = () => call(here, 'kstar:query_perceptions', {})
      const write = (id: string) =>
        call(here, 'kstar:store_perception', { id, content: `of the new one, ${id}` })
      if (first === 'a guest')
        await expect(call(here, 'kstar:query_perceptions', {}, key)).rejects.toMatchObject({
          code: 'unauthorized',
        })
      if (first === 'a write') expect(await write('mine')).toMatchObject({ id: 'mine' })
      if (first === 'some at once') await Promise.all([read(), write('x'), read(), write('y')])
      const { records } = (await read()) as { records: { id: string }[] }
      const ids = { 'a write': ['mine', 'new'], 'some at once': ['new', 'x', 'y'] }[first] ?? ['new']
      expect({ first, ids: records.map(({ id }) => id).toSorted() }).toEqual({ first, ids })
    }
    await Promise.all([one.close(), two.close()])
  })

  it('a copy that is too far behind is read anew by the call that finds it so, which writes once', async () => {
    const { sql: postgres } = await server.get()
    const open = () => openPostgresMirrors({ postgres, ports: nodePorts, rate: defaultRate })
    const [one, two] = await Promise.all([open(), open()])
    const call = (at: MirrorDoor, id: string, input: unknown) => fromOutcome(at.call(id, input, {}))
    const [here, there] = [one.getByName('behind'), two.getByName('behind')]
    await call(here, 'kstar:store_perception', { content: 'first' })
    await call(there, 'kstar:store_perception', { content: 'second' })
    // As after 1,024 commits, of which the keys that are gone are forgotten.
    await postgres.rows("UPDATE daybook.books SET gone_from = txn WHERE book = 'behind'")
    await call(here, 'kstar:store_perception', { content: 'third' })
    const { records } = (await call(here, 'kstar:query_perceptions', {})) as {
      records: { content: string }[]
    }
    expect(records.map(({ content }) => content).toSorted()).toEqual(['first', 'second', 'third'])
    await Promise.all([one.close(), two.close()])
  })
})
