// How a guest's questions ask the database: what is read by its number is looked up, however much is in reach.
import { expect, it } from 'vitest'
import { readReach } from '../../../../src/core/access/reach.ts'
import type { SqlDatabase } from '../../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { makeKind, openTestStore } from '../../../support/test-store.ts'

const trace = makeKind({ name: 'trace', text: ['goal'], facets: { domain: 'domain' }, scopedBy: 'domain' })

const scopes = [['trace:bench'], ['agent:a'], ['course:one'], ['session:s'], ['**']]

/** Steps of a plan that look for a record in another way than by its number. */
const otherThanByNumber = (plans: readonly string[]) =>
  plans.filter((plan) => /^(?:SEARCH|SCAN) [rf] (?!USING INTEGER PRIMARY KEY)/.test(plan))

it.each(scopes)('what %s reaches is read by number', (scope) => {
  const plans: string[] = []
  const db = openNodeDatabase({ path: ':memory:' })
  const watched: SqlDatabase = {
    ...db,
    all: (sql, params) => {
      if (params?.[0] === '[1,2,3]')
        plans.push(
          ...db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params).map(({ detail }) => detail),
        )
      return db.all(sql, params)
    },
  }
  const store = openTestStore([trace], { db: watched })
  store.put({ goal: 'bake bread', domain: 'bench' }, { kind: 'trace' })
  const reach = readReach({ scope }) ?? expect.unreachable()
  store.queries.within(reach).read([1, 2, 3])
  expect(plans.length).toBeGreaterThan(1)
  expect(otherThanByNumber(plans)).toEqual([])
})

it.each(scopes)('the words that %s reaches are read by number, also those of new records', (scope) => {
  const plans: string[] = []
  const db = openNodeDatabase({ path: ':memory:' })
  const watched: SqlDatabase = {
    ...db,
    all: (sql, params) => {
      if (sql.includes('AS light'))
        plans.push(
          ...db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params).map(({ detail }) => detail),
        )
      return db.all(sql, params)
    },
  }
  const store = openTestStore([trace], { db: watched })
  store.put({ goal: 'bake bread', domain: 'bench' }, { kind: 'trace' })
  const guest = store.queries.within(readReach({ scope }) ?? expect.unreachable())
  guest.frequencies(['bread'])
  const first = plans.length
  store.put({ goal: 'bake a cake', domain: 'bench' }, { kind: 'trace' })
  guest.frequencies(['cake'])
  expect(plans.length).toBeGreaterThan(first)
  expect(otherThanByNumber(plans)).toEqual([])
})
