// Ids of the manifest that `book.call` does not know.
import { afterAll, expect, it } from 'vitest'
import { seedShapes } from '../../../src/doors/seed-shape/seed-shape.ts'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import { openDaybook } from '../../../src/hosts/node/index.ts'

const book = await openDaybook({ name: 'outer', path: ':memory:' })
afterAll(() => book.close())

const known = new Set<string>(capabilityTable.map(({ id }) => id))
const outer = seedShapes.flatMap(({ names }) => names).filter((id) => id.includes(':') && !known.has(id))

it.each(outer)('says of %s which method does the same', async (id) => {
  const error: unknown = await book.call(id as never).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'unknown-capability', details: { path: 'capability' } })
  const [, method = ''] = /call `book\.([\w.]+)\(\)`/.exec(String(error)) ?? []
  const found = method.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], book)
  expect([method, typeof found]).toEqual([method, 'function'])
})
