// A recall and a push take few SQL statements: a setting is read once, not at every step.
import { expect, it } from 'vitest'
import type { Carrier, SqlDatabase } from '../../../src/core/ports.ts'
import { formatTime } from '../../../src/core/time.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { openTestEngine } from '../../support/test-engine.ts'
import { makeTrace } from '../../support/trace.ts'

/** A database that notes the statements it runs. */
function noting(db: SqlDatabase = openNodeDatabase({ path: ':memory:' })) {
  const statements: string[] = []
  const note =
    <Input extends [string, ...unknown[]], Output>(run: (...input: Input) => Output) =>
    (...input: Input) => {
      statements.push(input[0])
      return run(...input)
    }
  const noted: SqlDatabase = {
    ...db,
    get: note(db.get) as SqlDatabase['get'],
    all: note(db.all) as SqlDatabase['all'],
    run: note(db.run),
  }
  return { noted, take: () => statements.splice(0) }
}

it('a recall takes few statements', async () => {
  const { noted, take } = noting()
  const book = openTestEngine({ db: noted })
  for (let i = 0; i < 50; i++)
    await book.engine.call(
      'kstar:store_trace',
      makeTrace({ id: `t${i}`, task: { goal: `harvest ${i}`, constraints: [] } }),
    )
  await book.pass(60_000)
  await book.engine.call('daybook:recall', { text: 'harvest' })
  take()
  await book.engine.call('daybook:recall', { text: 'harvest 7' })
  const statements = take()
  book.engine.close()
  expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(6)
})

it('contexts read the rules once, until a rule changes, and wait for no other record', async () => {
  const { noted, take } = noting()
  const book = openTestEngine({ db: noted })
  const context = async () => {
    take()
    const { rules } = (await book.engine.call('recall:context', { text: 'harvest' })) as {
      rules?: { items: unknown[] }
    }
    const readings = take().filter((sql) => sql.includes("r.kind = 'rule'"))
    return { rules: rules?.items.length ?? 0, readings: readings.length }
  }
  const add = async (text: string) => ((await book.engine.call('rule:add', { text })) as { id: string }).id
  const id = await add('Answer in German.')
  expect(await context()).toEqual({ rules: 1, readings: 1 })
  await book.engine.call('kstar:store_trace', makeTrace({ id: 't' }))
  expect(await context()).toEqual({ rules: 1, readings: 0 })
  await add('Write to me.')
  expect(await context()).toEqual({ rules: 2, readings: 1 })
  await book.engine.call('rule:pause', { id })
  expect(await context()).toEqual({ rules: 1, readings: 1 })
  await book.engine.call('kstar:purge', { id })
  await book.engine.call('rule:add', {
    text: 'Soon over.',
    valid_until: formatTime(book.ports.clock.now() + 60_000),
  })
  expect(await context()).toEqual({ rules: 2, readings: 1 })
  await book.pass(120_000)
  expect(await context()).toEqual({ rules: 1, readings: 0 })
  book.engine.close()
})

it('a push of one op takes few statements at the mirror', async () => {
  const { noted, take } = noting()
  const edge = openTestEngine({ db: noted, role: 'mirror' })
  const mirror = new SyncMirror({ store: edge.engine.store, ...edge.ports })
  const pushes: string[][] = []
  const carrier: Carrier = {
    async exchange(request) {
      take()
      const { text } = await mirror.exchange(JSON.stringify(request))
      pushes.push(take())
      return JSON.parse(text) as unknown
    },
  }
  const device = openTestEngine({ carrier })
  for (let i = 0; i < 3; i++) {
    await device.engine.call(
      'kstar:store_trace',
      makeTrace({ id: `t${i}`, task: { goal: `harvest ${i}`, constraints: [] } }),
    )
    await device.engine.call('daybook:sync', {})
  }
  device.engine.close()
  edge.engine.close()
  expect(pushes).toHaveLength(3)
  const [statements = []] = pushes.slice(-1)
  expect(statements.length, statements.join('\n')).toBeLessThanOrEqual(15)
})

it('a stored trace takes three statements, and a category of another device binds the next one', async () => {
  const edge = openTestEngine({ role: 'mirror' })
  const mirror = new SyncMirror({ store: edge.engine.store, ...edge.ports })
  const carrier: Carrier = {
    async exchange(request) {
      const { text } = await mirror.exchange(JSON.stringify(request))
      return JSON.parse(text) as unknown
    },
  }
  const { noted, take } = noting()
  const [device, other] = [openTestEngine({ db: noted, carrier }), openTestEngine({ carrier })]
  const trace = makeTrace({ action: { type: 'assess', parameters: {} } })
  const store = () => device.engine.call('kstar:store_trace', trace)
  await store()
  take()
  await store()
  // Its record, its op and its entry in the log of access. The pool may look for its own work meanwhile.
  const statements = take().filter((sql) => !sql.includes('pool_'))
  expect(statements.length, statements.join('\n')).toBe(3)
  const { domain } = trace.situation
  const category = { name: 'assess', domain, required_fields: ['rubric_id'] }
  await other.engine.call('kstar:register_trace_category', category)
  await other.engine.call('daybook:sync', {})
  await device.engine.call('daybook:sync', {})
  await expect(store()).rejects.toMatchObject({ details: { path: 'action.parameters.rubric_id' } })
  for (const { engine } of [device, other, edge]) engine.close()
})
