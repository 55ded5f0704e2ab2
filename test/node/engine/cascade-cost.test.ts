// The work of a removal that takes many records along: it grows with their number, not with its square.
import { afterEach, expect, it } from 'vitest'
import { defined } from '../../../src/core/defined.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openTestEngine, type TestEngine } from '../../support/test-engine.ts'

const open: TestEngine[] = []
afterEach(() => {
  for (const { engine } of open.splice(0)) engine.close()
})

/** A book that notes which queries are made. */
function openBook() {
  const db = openNodeDatabase({ path: ':memory:' })
  const queries: string[] = []
  const noting: SqlDatabase = {
    ...db,
    all(sql, params) {
      queries.push(sql)
      return db.all<never>(sql, params)
    },
  }
  const book = openTestEngine({ db: noting, isAudited: false })
  open.push(book)
  const call = <Output>(verb: string, input: object, requestId?: string) =>
    book.engine.call(verb, input, defined({ requestId })) as Promise<Output>
  const store = (id: string, evidence: readonly string[]) =>
    call('kstar:store_perception', { id, type: 'note', content: `Words of ${id}`, confidence: 1, evidence })
  return { db, queries, call, store }
}

interface Removed {
  readonly released: string[]
  readonly alsoForgotten: string[]
}

it.each(['kstar:forget', 'kstar:purge'])(
  '%s writes a record once that loses many citations',
  async (verb) => {
    const { db, call, store } = openBook()
    await store('root', [])
    await store('other', [])
    const falling = Array.from({ length: 10 }, (_, i) => `fell-${i}`)
    for (const [i, id] of falling.entries()) await store(id, ['root', ...falling.slice(0, i)])
    await store('stays', ['root', 'other', ...falling])
    const { released, alsoForgotten } = await call<Removed>(verb, { id: 'root', cascade: true })
    expect(alsoForgotten.toSorted()).toEqual(falling)
    expect(released).toEqual(['stays'])
    expect(await call('kstar:get_record', { id: 'stays' })).toMatchObject({ evidence: ['other'] })
    expect(db.get('SELECT rev FROM records WHERE id = ?', ['stays'])).toEqual({ rev: 2 })
  },
)

it('looks through stored answers and tasks once for all that is purged, and erases what names one of it', async () => {
  const { db, queries, call, store } = openBook()
  await store('root', [])
  const falling = Array.from({ length: 20 }, (_, i) => `fell-${i}`)
  for (const id of falling) {
    const input = { id, type: 'note', content: `Words of ${id}`, confidence: 1, evidence: ['root'] }
    await call('kstar:store_perception', input, `request-${id}`)
  }
  await call('kstar:store_perception', { id: 'stays', type: 'note', content: 'Other', confidence: 1 }, 'kept')
  queries.length = 0
  await call('kstar:purge', { id: 'root', cascade: true })
  // One for the answers in clear, one for the sealed ones.
  expect(queries.filter((sql) => sql.includes('FROM applied_requests'))).toHaveLength(2)
  expect(queries.filter((sql) => sql.includes('AS key, input FROM tasks'))).toHaveLength(1)
  expect(db.all("SELECT request FROM applied_requests WHERE result <> ''")).toEqual([{ request: 'kept' }])
})

it('keeps the answer of the call that removes, and gives it again', async () => {
  const { call, store } = openBook()
  await store('root', [])
  await store('fell', ['root'])
  const first = await call('kstar:forget', { id: 'root', cascade: true }, 'once')
  expect(first).toMatchObject({ forgotten: true, alsoForgotten: ['fell'] })
  expect(await call('kstar:forget', { id: 'root', cascade: true }, 'once')).toEqual(first)
})
