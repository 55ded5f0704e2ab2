// Exactly once: a call with a requestId takes effect with the transaction that holds it, and answers the same ever after.
import { afterEach, describe, expect, test } from 'vitest'
import type { SqlDatabase } from '../../../../src/core/ports.ts'
import { createTestSealer } from '../../../support/test-sealer.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

const databases: SqlDatabase[] = []
afterEach(() => databases.splice(0).forEach((db) => db.close()))

function open(): TestStore {
  const store = openTestStore([makeKind()])
  databases.push(store.db)
  return store
}

const now = '2026-01-31T12:00:00.000Z'

describe('a call with a requestId', () => {
  test('runs once and answers the same again', () => {
    const { requests, db } = open()
    let runs = 0
    const call = () =>
      db.transaction(() =>
        requests.once({ requestId: 'r', capability: 'kstar:put', input: { a: 1 }, now }, () => ({
          id: `id-${++runs}`,
        })),
      )
    expect(call()).toEqual({ id: 'id-1' })
    expect(call()).toEqual({ id: 'id-1' })
    expect(runs).toBe(1)
  })

  test('runs again when its transaction was undone', () => {
    const { requests, db } = open()
    let runs = 0
    const call = (fails: boolean) =>
      db.transaction(() => {
        const answer = requests.once(
          { requestId: 'r', capability: 'kstar:put', input: {}, now },
          () => ++runs,
        )
        if (fails) throw new Error('undone')
        return answer
      })
    expect(() => call(true)).toThrow('undone')
    expect(call(false)).toBe(2)
    expect(call(false)).toBe(2)
  })

  test.each([
    ['another input', 'kstar:put', { a: 2 }],
    ['another capability', 'kstar:forget', { a: 1 }],
    ['no input', 'kstar:put', undefined],
  ])('is refused for %s', (_what, capability, input) => {
    const { requests } = open()
    requests.once({ requestId: 'r', capability: 'kstar:put', input: { a: 1 }, now }, () => 1)
    const again = () => requests.once({ requestId: 'r', capability, input, now }, () => 2)
    expect(again).toThrow(expect.objectContaining({ code: 'request-reused' }) as Error)
  })

  test('is the same call when a field is absent or undefined', () => {
    const { requests } = open()
    requests.once({ requestId: 'r', capability: 'kstar:put', input: { a: 1, b: undefined }, now }, () => 1)
    expect(requests.once({ requestId: 'r', capability: 'kstar:put', input: { a: 1 }, now }, () => 2)).toBe(1)
  })

  test('may have no input and no answer', () => {
    const { requests } = open()
    let runs = 0
    for (let i = 0; i < 2; i++)
      requests.once({ requestId: 'r', capability: 'kstar:put', input: undefined, now }, () => void runs++)
    expect(runs).toBe(1)
  })

  test('is forgotten after its time', () => {
    const { requests } = open()
    requests.once(
      { requestId: 'old', capability: 'kstar:put', input: {}, now: '2026-01-01T00:00:00.000Z' },
      () => 1,
    )
    requests.once(
      { requestId: 'new', capability: 'kstar:put', input: {}, now: '2026-01-02T00:00:00.000Z' },
      () => 1,
    )
    requests.prune('2026-01-02T00:00:00.000Z')
    expect(requests.once({ requestId: 'old', capability: 'kstar:put', input: {}, now }, () => 2)).toBe(2)
    expect(requests.once({ requestId: 'new', capability: 'kstar:put', input: {}, now }, () => 2)).toBe(1)
  })
})

test('a call that stores a sealed record leaves nothing by which its input can be guessed', () => {
  const sealer = createTestSealer()
  const { requests, records, db } = openTestStore([makeKind()], { sealer })
  databases.push(db)
  const call = (text: string) =>
    db.transaction(() =>
      requests.once({ requestId: 'r', capability: 'kstar:put', input: { text }, now }, () => {
        const head = { id: 'one', kind: 'thing', agent: 'a', at: now, created_at: now }
        records.put({
          op: 'put',
          ...head,
          stamp: '019c14916980-0000-d',
          sensitivity: 'sensitive',
          body: { text },
        })
        return { text }
      }),
    )
  const stored = (name: string) => {
    call(name)
    const row = db.get('SELECT input, result FROM applied_requests')
    db.run('DELETE FROM applied_requests')
    return row
  }
  expect(stored('salt')?.['input']).toBe(stored('mint')?.['input'])
  expect(call('salt')).toEqual({ text: 'salt' })
  expect(call('salt')).toEqual({ text: 'salt' })
  const other = () => call('mint')
  expect(other).toThrow(expect.objectContaining({ code: 'request-reused' }) as Error)
  sealer.keys = []
  expect(other).toThrow(expect.objectContaining({ code: 'locked' }) as Error)
})

test('a purge finds the sealed answers with its record, and opens only those without a list of their records', () => {
  const sealer = createTestSealer()
  const open = sealer.open.bind(sealer)
  let opened = 0
  sealer.open = (owner, sealed) => {
    if (owner.kind === 'answer') opened += 1
    return open(owner, sealed)
  }
  const { requests, records, purge, db } = openTestStore([makeKind()], { sealer })
  databases.push(db)
  const head = { op: 'put', kind: 'thing', agent: 'a', at: now, created_at: now } as const
  const call = (id: string) =>
    db.transaction(() =>
      requests.once({ requestId: `r-${id}`, capability: 'kstar:put', input: { id }, now }, () => {
        const text = `text of ${id}`
        const stamp = '019c14916980-0000-d'
        records.put({ ...head, id, stamp, sensitivity: 'sensitive', body: { text } })
        return { [id]: { text }, unknown: 'no-record' }
      }),
    )
  const erased = () => db.all("SELECT request FROM applied_requests WHERE result = '' ORDER BY request")
  const remove = (...ids: string[]) =>
    db.transaction(() =>
      purge.purgeTogether(() => ids.forEach((id) => purge.purge(id, records.row(id)?.seq ?? 0))),
    )
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) call(id)
  expect(db.get("SELECT input FROM applied_requests WHERE request = 'r-a'")).toEqual({ input: '["a"]' })
  remove('a')
  remove('b', 'c')
  expect(opened).toBe(0)
  expect(erased()).toEqual([{ request: 'r-a' }, { request: 'r-b' }, { request: 'r-c' }])
  expect(call('d')).toMatchObject({ d: { text: 'text of d' } })

  // As an earlier Daybook stored them: it is unknown which records are inside.
  db.run("UPDATE applied_requests SET input = '' WHERE request IN ('r-e', 'r-f')")
  expect(call('e')).toMatchObject({ e: { text: 'text of e' } })
  remove('e')
  expect(erased()).toHaveLength(4)
  sealer.keys = []
  remove('g')
  expect(erased().map(({ request }) => request)).toEqual(['r-a', 'r-b', 'r-c', 'r-e', 'r-f', 'r-g'])
})
