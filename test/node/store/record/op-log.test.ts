// The outbox of a device, through any course of edits, sending, answers and starting over.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { SqlDatabase } from '../../../../src/core/ports.ts'
import type { RecordRow } from '../../../../src/store/schema/record-row.ts'
import { makeKind, openTestStore, type TestStore } from '../../../support/test-store.ts'

const opened: SqlDatabase[] = []
afterEach(() => opened.splice(0).forEach((db) => db.close()))

function open(): TestStore {
  const store = openTestStore([makeKind()])
  opened.push(store.db)
  return store
}

const id = fc.constantFrom('a', 'b', 'c')
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('put' as const), id }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('forget' as const, 'accept' as const), id }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('send' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const), refuse: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('startOver' as const, 'undone' as const) }) },
)

/** What must hold at any time. */
function checkLog({ db, ops, records }: TestStore, wires: ReadonlyMap<number, string>): void {
  const rows = db.all<{ n: number; seq: number; mid: number | null; wire: string | null }>(
    'SELECT n, seq, mid, wire FROM ops',
  )
  expect(ops.pendingCount()).toBe(rows.length)
  for (const { n, seq, mid, wire } of rows) {
    const newest = db.get<{ op: number | null }>('SELECT op FROM records WHERE seq = ?', [seq])?.op
    // An op that was not sent is the newest of its record, hence the only one; a sent one keeps its bytes until its
    // record is forgotten.
    if (mid === null) expect(newest).toBe(n)
    else expect(wire).toBe(wires.get(mid))
    expect(newest).toBeGreaterThanOrEqual(n)
  }
  const mids = ops.sentOps().map(({ mid }) => mid)
  expect(mids).toEqual([...new Set(mids)].toSorted((a, b) => a - b))
  for (const name of ['a', 'b', 'c']) {
    const row = records.row(name)
    if (row?.op != null) expect(rows.some(({ n, seq }) => n === row.op && seq === row.seq)).toBe(true)
  }
}

/** Of a record that was just forgotten: what was sent of it and not answered says that now. */
function withdrawSent({ ops }: TestStore, { seq, id }: RecordRow, wires: Map<number, string>): void {
  for (const { mid, wire } of ops.sentOps().filter((op) => op.seq === seq)) {
    expect(JSON.parse(wire)).toMatchObject({ mid, id, op: 'forget', instead: true })
    wires.set(mid, wire)
  }
}

describe('the op log', () => {
  test('keeps its order, and the bytes of what was sent and not forgotten since', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const store = open()
        const { db, ops, records } = store
        let wires = new Map<number, string>()
        let ver = 0
        for (const [i, step] of steps.entries()) {
          if (step.do === 'accept') {
            const op = {
              op: 'put' as const,
              kind: 'thing',
              id: step.id,
              agent: 'x',
              at: '',
              created_at: '',
              stamp: '',
              body: {},
            }
            if (records.row(step.id)?.op == null)
              db.transaction(() => records.applyFromMirror(op, { ver: ++ver, place: ver, device: 'other' }))
          } else if (step.do === 'put') store.put({ i }, { id: step.id })
          else if (step.do === 'forget') {
            const before = records.row(step.id)
            store.forget(step.id)
            if (before?.deleted === 0) withdrawSent(store, before, wires)
          } else if (step.do === 'send' && ops.sentOps().length === 0) {
            for (const op of ops.unsentOps(step.limit)) {
              db.transaction(() => ops.assignMid(op, (mid) => `${mid}:${op.row.body}`))
            }
            wires = new Map(ops.sentOps().map(({ mid, wire }) => [mid, wire]))
          } else if (step.do === 'answer') {
            const [op] = ops.sentOps()
            if (op) {
              db.transaction(() => {
                if (step.refuse) return ops.refuse(op, { code: 'invalid-input', message: 'no' })
                records.confirmVersion(op.seq, { ver: ++ver, place: ver, device: 'me' })
                ops.removeAnswered(op, ver)
              })
              expect(ops.lastAcknowledgedMid()).toBe(op.mid)
            }
          } else if (step.do === 'startOver') {
            db.transaction(() => {
              ops.resetMids(0)
              records.clearMirrorVersions()
              ops.relogWithoutPlace()
            })
            const live = db.all<{ op: number | null }>('SELECT op FROM records')
            expect(live.every(({ op }) => op !== null)).toBe(true)
          } else if (step.do === 'undone') {
            const undone = () =>
              db.transaction(() => {
                store.put({ i }, { id: 'a' })
                throw new Error('undone')
              })
            expect(undone).toThrow('undone')
          }
          checkLog(store, wires)
        }
        opened.splice(0).forEach((db) => db.close())
      }),
      { numRuns: 200 },
    )
  })

  test('numbers what is new beyond what was logged anew', () => {
    const store = open()
    for (const name of ['a', 'b', 'c']) {
      const op = {
        op: 'put' as const,
        kind: 'thing',
        id: name,
        agent: 'x',
        at: '',
        created_at: '',
        stamp: '',
        body: {},
      }
      store.records.applyFromMirror(op, { ver: 1, place: 1, device: 'other' })
    }
    store.records.clearMirrorVersions()
    store.ops.relogWithoutPlace()
    store.put({}, { id: 'd' })
    expect(store.ops.unsentOps(10).map(({ row }) => row.id)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('holds one unsent op for a record, however often it changes', () => {
    const store = open()
    for (let i = 0; i < 5; i++) store.put({ i }, { id: 'a' })
    const [op, ...others] = store.ops.unsentOps(10)
    expect(others).toEqual([])
    expect(op?.row.body).toBe('{"i":4}')
    expect(op?.base).toBe(0)
  })

  test('builds a change made while one is on its way on the version that comes back', () => {
    const store = open()
    store.put({ i: 1 }, { id: 'a' })
    const [op] = store.ops.unsentOps(1)
    if (!op) throw new Error('no op')
    const sent = store.ops.assignMid(op, (mid) => `op ${mid}`)
    store.put({ i: 2 }, { id: 'a' })
    expect(store.ops.sentOps().map(({ wire }) => wire)).toEqual(['op 1'])
    store.ops.removeAnswered(sent, 7)
    expect(store.ops.unsentOps(10)).toMatchObject([{ base: 7, row: { body: '{"i":2}' } }])
  })
})
