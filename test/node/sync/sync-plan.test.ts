// How sync asks its database: no statement of a round looks through all the records, however many there are.
import { expect, it } from 'vitest'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { body, id } from '../../contract/mirror/mirror-case.ts'
import { createWorld } from '../../contract/mirror/mirror-world.ts'

/** A database that notes every statement. */
function watched(seen: Map<string, SqlDatabase>): SqlDatabase {
  const db = openNodeDatabase({ path: ':memory:' })
  const note = (sql: string) => void seen.set(sql, db)
  return {
    ...db,
    run: (sql, params) => (note(sql), db.run(sql, params)),
    all: (sql, params) => (note(sql), db.all(sql, params)),
    get: (sql, params) => (note(sql), db.get(sql, params)),
  }
}

it('pushing and pulling look nothing up without an index', async () => {
  const seen = new Map<string, SqlDatabase>()
  const databases = new Map<string, SqlDatabase>()
  const world = createWorld({
    async within(name, work) {
      const db = databases.get(name) ?? watched(seen)
      databases.set(name, db)
      return work(db)
    },
    evict: () => Promise.resolve(),
  })
  const [a, b, c] = [world.device('a'), world.device('b'), world.device('c', { pull: ['local_wins'] })]
  for (const device of [a, b, c]) await device.state()
  await world.mirror.get(id(1))
  await a.putMany(
    'local_wins',
    Array.from({ length: 150 }, (_, i) => [id(i), body(`${i}`)] as const),
  )
  // What opening a book asks is another matter.
  seen.clear()
  for (const device of [a, b, c]) await device.sync()
  await b.put('local_wins', id(1), body('changed'))
  await b.sync()
  await a.sync()
  // Statements are prepared before anything is known of their parameters.
  const scans = [...seen].flatMap(([sql, db]) =>
    db
      .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .filter(({ detail }) => /\bSCAN (?:r|records|history|results|o|ops)\b|TEMP B-TREE/.test(detail))
      .map(({ detail }) => `${detail}: ${sql.replaceAll(/\s+/g, ' ')}`),
  )
  // The outbox is walked in its own order, and counted; both end with what waits in it.
  expect(scans.filter((scan) => !/ FROM ops\b/.test(scan))).toEqual([])
  expect(seen.size).toBeGreaterThan(20)
})

it('W4 a hundred changes are one request, of at most 1.3 times their JSON', async () => {
  const databases = new Map<string, SqlDatabase>()
  const world = createWorld({
    async within(name, work) {
      const db = databases.get(name) ?? openNodeDatabase({ path: ':memory:' })
      databases.set(name, db)
      return work(db)
    },
    evict: () => Promise.resolve(),
  })
  const device = world.device('a')
  const bodies = Array.from({ length: 100 }, (_, i) => ({ text: `${i} ${'word '.repeat(200)}` }))
  await device.putMany(
    'local_wins',
    bodies.map((text, i) => [`01998a00-0000-7000-8000-${String(i).padStart(12, '0')}`, text] as const),
  )
  await device.sync()
  expect(device.sent).toHaveLength(1)
  expect(device.sent.join('').length).toBeLessThan(1.3 * JSON.stringify(bodies).length)
})
