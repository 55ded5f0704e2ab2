// Many writes and then a read: what is left to index is bounded, others are answered meanwhile, and the read sees
// everything.
import { afterEach, describe, expect, test } from 'vitest'
import { readReach } from '../../../src/core/access/reach.ts'
import type { Caller } from '../../../src/core/capability/caller.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import type { CallOptions } from '../../../src/engine/engine-shape.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { makeTrace } from '../../support/trace.ts'
import { openTestEngine, type TestEngineOptions } from '../../support/test-engine.ts'

const opened: Engine[] = []
afterEach(() => opened.splice(0).forEach((engine) => engine.close()))

function open(options: TestEngineOptions = {}) {
  const { engine, db } = openTestEngine(options)
  opened.push(engine)
  let stored = 0
  const store = (count: number) =>
    engine.call('kstar:store_traces', {
      traces: Array.from({ length: count }, () =>
        makeTrace({ id: `t-${stored++}`, task: { goal: `Feed the zebra ${stored}` } }),
      ),
    })
  const find = (options?: CallOptions) =>
    engine.call('kstar:search_traces', { query: 'zebra', limit: 1000 }, options) as Promise<{
      records: readonly { id: string }[]
    }>
  return { engine, db, store, find, behind: () => engine.store.projection.lagCount() }
}

describe('a flood of writes', () => {
  test('leaves no more than so many records to index, however long it lasts and whatever it writes', async () => {
    const { engine, store, behind, find } = open({ lag: 100 })
    await store(80)
    expect(behind()).toBe(80)
    for (let i = 0; i < 10; i++) {
      await store(50)
      expect(behind()).toBeLessThanOrEqual(150)
    }
    const { records } = await find()
    expect(records).toHaveLength(580)
    // Records that change are behind as new ones are.
    for (let i = 0; i < 300; i++)
      await engine.call('kstar:complete_trace', {
        id: `t-${i}`,
        result: { success: true, outcome: {} },
        replace: true,
      })
    expect(behind()).toBeGreaterThan(0)
    expect(behind()).toBeLessThanOrEqual(101)
  })

  test('is not held up when indexing fails: it is stored, and indexed later', async () => {
    const { db, store, find } = open({ lag: 10 })
    db.exec(
      "CREATE TRIGGER no_room BEFORE INSERT ON facets BEGIN SELECT raise(ABORT, 'no room for indexes'); END",
    )
    await store(30)
    await store(30)
    db.exec('DROP TRIGGER no_room')
    expect((await find()).records).toHaveLength(60)
  })

  test('is indexed in slices by the first read, and other calls come between them', async () => {
    const { engine, store, find } = open({ lag: 200 })

    await store(100)
    const order: string[] = []
    const search = find().then(({ records }) => order.push(`found ${records.length}`))
    const get = engine.call('kstar:get_trace', { id: 't-99' }).then(() => order.push('got'))
    // What is written while it waits may be seen or not, but comes first as well.
    const more = store(1).then(() => order.push('stored'))
    await Promise.all([search, get, more])
    expect(order.slice(0, 2)).toEqual(['got', 'stored'])
    expect(order[2]).toMatch(/^found 10[01]$/)
  })

  test('does not keep a book open that is closed: the read ends', async () => {
    const { engine, store, find } = open({ lag: 200 })
    await store(100)
    const search = find()
    engine.close()
    await expect(search).rejects.toMatchObject({ code: 'book-closed' })
  })

  test('lets recall see what was stored before it was called', async () => {
    const { engine, store } = open({ lag: 200 })
    await store(100)
    const { hits } = (await engine.call('daybook:recall', { text: 'zebra 100', distinct: false })) as {
      hits: readonly { record: { id: string } }[]
    }
    expect(hits[0]?.record.id).toBe('t-99')
  })

  test('is read in slices by the first recall of a guest, and other calls come between them', async () => {
    const plain = openNodeDatabase({ path: ':memory:' })
    const during: Promise<unknown>[] = []
    let read = 0
    let readWhenAnswered = 0
    // The statement that reads the words of records in reach.
    const watched: SqlDatabase = {
      ...plain,
      all(sql, params) {
        const rows = plain.all<never>(sql, params)
        if (!sql.includes('AS light')) return rows
        if (read === 0)
          during.push(engine.call('kstar:get_trace', { id: 't-0' }).then(() => (readWhenAnswered = read)))
        read += rows.length
        return rows
      },
    }
    const { engine, store } = open({ db: watched, lag: 200, isAudited: false })
    await store(100)
    const caller: Caller = {
      role: 'guest',
      token: 'claims',
      agent: 'helper',
      reach: readReach({ scope: '**' }) ?? expect.unreachable(),
      permissions: ['read'],
      by: 'claims',
    }
    const { hits } = (await engine.call('daybook:recall', { text: 'zebra' }, { caller })) as {
      hits: readonly unknown[]
    }
    await Promise.all(during)
    expect(hits.length).toBeGreaterThan(0)
    expect(read).toBe(100)
    expect(readWhenAnswered).toBeGreaterThan(0)
    expect(readWhenAnswered).toBeLessThan(100)
  })
})
