// The engine with the text index in memory: it fills by itself, and what is recalled doesn't depend on whether it has.
import { afterEach, describe, expect, test } from 'vitest'
import type { RecallResult } from '../../../../src/core/capability/port/recall-port.ts'
import type { Ports } from '../../../../src/core/ports.ts'
import { createEngine, type Engine, type EngineOptions } from '../../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../../src/hosts/node/port/node-ports.ts'
import { makeTrace } from '../../../support/trace.ts'

const subjects = ['rounding bug', 'date parser', 'release notes', 'recursion rubric', 'package manager']
const verbs = ['reproduce the', 'review the', 'write the', 'install the', 'test the']
const traces = Array.from({ length: 300 }, (_, i) =>
  makeTrace({
    id: `t-${i}`,
    session: `s-${i % 7}`,
    timestamp: `2026-0${1 + (i % 6)}-1${i % 9}T10:00:00Z`,
    task: { goal: `${verbs[i % 5] ?? ''} ${subjects[(i >> 2) % 5] ?? ''} ${'again '.repeat(i % 4)}` },
  }),
)
const questions = [
  { text: 'Which bug did we see when rounding dates?' },
  { text: 'installing packages', limit: 50 },
  { text: 'what was released in March 2026', limit: 200 },
  { text: 'test the parser again', session: 's-3' },
  { text: 'rubrics to review', kinds: ['trace'], filters: { 'task.goal': { contains: 'again' } } },
  { text: 'purple elephants' },
]

const opened: Engine[] = []
afterEach(() => opened.splice(0).forEach((engine) => engine.close()))

/** An engine whose timers go off when the test says so. */
function open({
  db = openNodeDatabase({ path: ':memory:' }),
  ...more
}: Partial<Pick<EngineOptions, 'role' | 'textIndex' | 'db'>> = {}) {
  let later: (() => void)[] = []
  const ports: Ports = {
    ...nodePorts,
    clock: { now: () => Date.UTC(2026, 6, 1) },
    scheduler: {
      soon: nodePorts.scheduler.soon,
      later(_, task) {
        later.push(task)
        return () => (later = later.filter((one) => one !== task))
      },
    },
  }
  const engine = createEngine({ db, ports, name: 'b', scope: { agent: 'a' }, durability: 'memory', ...more })
  opened.push(engine)
  return {
    engine,
    idle() {
      let turns = 0
      for (let task = later.shift(); task; task = later.shift(), turns++) task()
      return turns
    },
    recall: async () => {
      const results: RecallResult[] = []
      for (const question of questions)
        results.push((await engine.call('daybook:recall', { distinct: false, ...question })) as RecallResult)
      return results
    },
  }
}

const store = (engine: Engine) => engine.call('kstar:store_traces', { traces })
const stateOf = (engine: Engine) => engine.store.textIndex?.state().state

/** The logarithms of two hosts may differ in the last digit. */
const rounded = (results: readonly RecallResult[]) =>
  results.map(({ hits, ...rest }) => ({
    ...rest,
    hits: hits.map(({ score, because, ...hit }) => ({
      ...hit,
      score: score.toPrecision(9),
      because: { ...because, text: { ...because.text, bm25: because.text?.bm25.toPrecision(9) } },
    })),
  }))

describe('the text index in memory', () => {
  test('fills for a question or when the engine is idle, and recall answers the same before and after', async () => {
    const { engine, idle, recall } = open()
    await store(engine)
    const cold = await recall()
    idle()
    expect(stateOf(engine)).toBe('warm')
    const warm = await recall()
    expect(cold.map(({ hits }) => hits.length)).toEqual([10, 50, expect.any(Number), 10, 10, 0])
    expect(rounded(warm)).toEqual(rounded(cold))
    const never = open({ textIndex: false })
    await store(never.engine)
    never.idle()
    const without = await never.recall()
    const ids = (results: readonly RecallResult[]) =>
      results.map(({ hits }) => hits.map(({ record }) => record.id))
    expect(ids(without)).toEqual(ids(warm))
  })

  test('sees what is stored, changed and forgotten after it was filled', async () => {
    const { engine, idle } = open()
    await store(engine)
    idle()
    const find = async (text: string) =>
      ((await engine.call('daybook:recall', { text })) as RecallResult).hits.map(({ record }) => record.id)
    const fed = makeTrace({ id: 'new', task: { goal: 'Feed the zebra' } })
    await engine.call('kstar:store_trace', fed)
    expect(await find('zebras')).toEqual(['new'])
    const result = { success: false, outcome: { note: 'It was a giraffe' } }
    await engine.call('kstar:complete_trace', { id: 'new', result, replace: true })
    expect(await find('giraffes')).toEqual(['new'])
    await engine.call('kstar:forget', { id: 'new' })
    expect(await find('zebras')).toEqual([])
    expect(await find('giraffes')).toEqual([])
    expect(stateOf(engine)).toBe('warm')
  })

  test('is there at the first question of a book that is opened again, and answers the same', async () => {
    const db = openNodeDatabase({ path: ':memory:' })
    const kept = { ...db, close: () => undefined }
    const first = open({ db: kept })
    await store(first.engine)
    first.idle()
    const before = await first.recall()
    first.engine.close()
    const second = open({ db: kept })
    const after = await second.recall()
    expect(stateOf(second.engine)).toBe('warm')
    expect(after).toEqual(before)
    second.engine.close()
    db.close()
  })

  test('fills for a book that was there before, and is off at the mirror', async () => {
    const path = ':memory:'
    const db = openNodeDatabase({ path })
    const shared = { db: { ...db, close: () => undefined }, name: 'b', scope: { agent: 'a' } } as const
    const first = createEngine({ ...shared, ports: nodePorts, durability: 'memory' })
    await store(first)
    first.close()
    let tasks: (() => void)[] = []
    const later: Ports['scheduler']['later'] = (_, task) => {
      tasks.push(task)
      return () => (tasks = tasks.filter((one) => one !== task))
    }
    const second = createEngine({
      ...shared,
      ports: { ...nodePorts, scheduler: { ...nodePorts.scheduler, later } },
      durability: 'memory',
    })
    opened.push(second)
    for (let task = tasks.shift(); task; task = tasks.shift()) task()
    expect(second.store.textIndex?.state()).toMatchObject({ state: 'warm', records: 300 })
    second.close()
    db.close()
    expect(open({ role: 'mirror' }).engine.store.textIndex).toBeUndefined()
  })
})
