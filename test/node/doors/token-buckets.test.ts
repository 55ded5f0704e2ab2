// Buckets under a clock that is set back or stands still.
import { expect, it } from 'vitest'
import { CallerRates, TokenBuckets } from '../../../src/edge/rate-limit.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { migrate } from '../../../src/store/schema/version.ts'

const hour = 3_600_000
const rate = { burst: 3, perSecond: 1 }

function start() {
  const time = { ms: 10 * hour }
  const clock = { now: () => time.ms }
  const db = openNodeDatabase({ path: ':memory:' })
  migrate(db, new Date(0).toISOString())
  const create = () => new CallerRates(db, clock, rate)
  return { time, buckets: new TokenBuckets(rate, clock), create, db }
}
const pays = (rates: CallerRates) => {
  try {
    rates.charge('a')
    return true
  } catch {
    return false
  }
}

it('refills nothing at the same time, and nothing for a clock that was set back', () => {
  const { time, buckets, create, db } = start()
  const rates = create()
  const both = () => [buckets.take('a'), pays(rates)]
  for (let n = 0; n < 3; n++) expect(both()).toEqual([true, true])
  expect(both()).toEqual([false, false])
  time.ms -= hour
  for (let n = 0; n < 3; n++) expect(both()).toEqual([false, false])
  db.close()
})

it('stores what was spent after a clock was set back, for the next object of the book', () => {
  const { time, create, db } = start()
  const rates = create()
  pays(rates)
  time.ms -= hour
  pays(rates)
  pays(rates)
  time.ms += 10
  const next = create()
  expect([pays(next), pays(next)]).toEqual([true, false])
  db.close()
})

it('refills by the time that passes after a clock was set back', () => {
  const { time, buckets, create, db } = start()
  const rates = create()
  for (let n = 0; n < 3; n++) {
    buckets.take('a')
    pays(rates)
  }
  time.ms -= hour
  expect([buckets.take('a'), pays(rates)]).toEqual([false, false])
  time.ms += 1000
  expect([buckets.take('a'), pays(rates)]).toEqual([true, true])
  db.close()
})

it('locks nobody out when each object of a book lives for one request after a clock was set back', () => {
  const { time, create, db } = start()
  const rates = create()
  for (let n = 0; n < 3; n++) {
    pays(rates)
    time.ms += 100
  }
  db.run('UPDATE rate_buckets SET remaining = 0')
  time.ms -= hour
  expect(pays(create())).toBe(false)
  time.ms += 1000
  expect(pays(create())).toBe(true)
  db.close()
})
