// The log of access over a real database: entries of one commit that are alike are written by one statement, and nothing
// of that is seen afterwards.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AccessLog, type NewAccessEntry } from '../../../src/store/access-log.ts'
import { openTestEngine } from '../../support/test-engine.ts'

const alike = fc.record<NewAccessEntry>(
  {
    at: fc.constantFrom('2026-11-22T10:00:00.000Z', '2026-11-22T10:00:00.001Z'),
    caller: fc.constantFrom('a', 'b'),
    by: fc.constantFrom('owner', 'token'),
    id: fc.constantFrom('token::1', 'token::2'),
    capability: fc.constantFrom('kstar:store_trace', 'kstar:forget'),
    outcome: fc.constantFrom('ok', 'forbidden'),
    kinds: fc.constantFrom([], ['trace'], ['trace', 'fact']),
    count: fc.nat(3000),
    purpose: fc.constantFrom('to learn', 'to help'),
    receipt: fc.constantFrom('receipt-1'),
  },
  { requiredKeys: ['at', 'caller', 'by', 'capability', 'outcome', 'kinds', 'count'] },
)
/** Runs of the same entry but for its count, as calls made together leave them. */
const entries = fc
  .array(fc.tuple(alike, fc.array(fc.nat(3000), { minLength: 1, maxLength: 8 })), { maxLength: 12 })
  .map((runs) => runs.flatMap(([one, counts]) => counts.map((count) => ({ ...one, count }))))

test('entries of one commit stand in the order in which they were noted, with all that was noted', async () => {
  const { engine, db } = openTestEngine()
  const log = new AccessLog(db)
  fc.assert(
    fc.property(entries, entries, (waited, noted) => {
      db.exec('DELETE FROM audit')
      for (const one of waited) log.enqueue(one)
      log.begin()
      for (const one of noted) log.addToTransaction(one)
      db.transaction(() => log.end())
      log.committed()
      const newestFirst = log.page({ limit: 1000 }).map(({ n: _n, ...entry }) => entry)
      expect(newestFirst.toReversed()).toEqual([...waited, ...noted])
    }),
    { numRuns: 200 },
  )
  engine.close()
})

test('entries that arrive during a commit wait for the next one, also when the queue is full', async () => {
  const { engine, db } = openTestEngine()
  const log = new AccessLog(db)
  const noteAll = (capability: string, length: number) => {
    for (let count = 0; count < length; count++)
      log.enqueue({ at: '', caller: 'a', by: 'token', capability, outcome: 'ok', kinds: [], count })
  }
  const begin = () =>
    db.transaction(() => {
      log.begin()
      log.end()
    })
  noteAll('first', 6000)
  begin()
  noteAll('second', 5000)
  log.committed()
  expect(log.queueLength()).toBe(5000)
  begin()
  log.committed()
  expect(db.all('SELECT capability, count(DISTINCT count) AS n FROM audit GROUP BY 1')).toEqual([
    { capability: 'first', n: 6000 },
    { capability: 'second', n: 5000 },
  ])
  engine.close()
})
