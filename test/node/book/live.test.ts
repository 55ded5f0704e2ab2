// How often a live query asks, and whom it tells, over a door and a clock that the test holds.
import { describe, expect, it } from 'vitest'
import { type LiveHost, createLiveMember } from '../../../src/book/live/live.ts'
import type { BookTable } from '../../../src/book/book-table.ts'
import type { BookEvent } from '../../../src/core/capability/event.ts'
import type { Ports } from '../../../src/core/ports.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import { createLocalDoor } from '../../../src/doors/local-door.ts'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import { openTestEngine } from '../../support/test-engine.ts'
import { makeTrace } from '../../support/trace.ts'
import { createVirtualTime } from '../../support/virtual-time.ts'

const table: BookTable = {
  methods: [
    ['traces.query', 'kstar:query_traces', 'read'],
    ['tasks.list', 'task:list', 'read'],
    ['recall', 'daybook:recall', 'read'],
    ['context', 'recall:context', 'read'],
  ],
  kinds: [
    ['trace', 'traces'],
    ['fact', 'facts'],
  ],
}
const settle = () => new Promise((resolve) => setImmediate(resolve))
const changed = (kind = 'trace'): BookEvent => ({
  name: 'change',
  detail: { ids: ['x'], kinds: [kind], more: 0 },
})

/** A host of this time; a timer is what cancels it. */
const hostOf = ({ clock, scheduler }: Pick<Ports, 'clock' | 'scheduler'>): LiveHost => ({
  Date: clock,
  setTimeout: (task, ms) => scheduler.later(ms, task),
  clearTimeout: (cancel: () => void) => cancel(),
})

function world() {
  const time = createVirtualTime()
  const listeners = new Set<(event: BookEvent) => void>()
  const asked: {
    id: string
    input: unknown
    answer: (data: unknown) => void
    fail: (error: unknown) => void
  }[] = []
  const door = {
    call: (id: string, input: unknown) =>
      new Promise((answer, fail) => {
        asked.push({ id, input, answer, fail })
      }),
    on(listener: (event: BookEvent) => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  return {
    time,
    asked,
    listeners,
    live: createLiveMember(door, table, hostOf(time)),
    tell: (event: BookEvent) => listeners.forEach((listener) => listener(event)),
    async answer(data: unknown) {
      asked.at(-1)?.answer(data)
      await settle()
    },
  }
}

describe('A live query', () => {
  it('asks nothing before somebody listens, once for all who do, and nothing after the last has gone', async () => {
    const { live, asked, listeners, tell, answer, time } = world()
    const query = live({ method: 'traces.query', input: { limit: 1 } })
    expect([asked.length, listeners.size]).toEqual([0, 0])
    const heard: string[] = []
    const offs = ['a', 'b'].map((name) => query.subscribe(() => heard.push(name)))
    expect(asked.map(({ id, input }) => [id, input])).toEqual([['kstar:query_traces', { limit: 1 }]])
    await answer([1])
    expect(heard).toEqual(['a', 'b'])
    offs[0]?.()
    offs[0]?.()
    await time.advance(1000)
    tell(changed())
    await answer([2])
    expect(heard).toEqual(['a', 'b', 'b'])
    offs[1]?.()
    expect(listeners.size).toBe(0)
    await time.advance(1000)
    expect([asked.length, time.due()]).toEqual([2, []])
  })

  it('asks with the input as it was, and refuses an input that is no JSON', () => {
    const { live, asked } = world()
    const input = { filters: { confidence: { gte: 0.5 } } }
    const query = live({ method: 'traces.query', input })
    input.filters.confidence.gte = 0
    query.subscribe(() => undefined)
    expect(asked[0]?.input).toEqual({ filters: { confidence: { gte: 0.5 } } })
    expect(() => live({ method: 'traces.query', input: { limit: 1n } as never })).toThrow(
      /`limit`: A bigint is not JSON/,
    )
  })

  it('that recalls asks again for new vectors and for another status, and others do not', async () => {
    const { live, asked, tell, answer, time } = world()
    const progress = (capability: string): BookEvent => ({
      name: 'progress',
      detail: { capability, subject: 'x', done: 1, total: 1 },
    })
    const status: BookEvent = { name: 'status', detail: { owner: true, durability: 'memory' } }
    for (const [method, wanted] of [
      ['recall', 3],
      ['context', 3],
      ['traces.query', 1],
    ] as const) {
      asked.length = 0
      const off = live({ method }).subscribe(() => undefined)
      for (const event of [progress('embed:status'), progress('embed:texts'), status]) {
        await answer([])
        await time.advance(100)
        tell(event)
      }
      off()
      expect([method, asked.length]).toEqual([method, wanted])
    }
  })

  it('asks once more for all that changed while it asked, and rests as long as that took', async () => {
    const { live, asked, tell, answer, time } = world()
    const query = live({ method: 'traces.query' })
    query.subscribe(() => undefined)
    for (let n = 0; n < 50; n += 1) tell(changed())
    await time.advance(200)
    expect(asked.length).toBe(1)
    await answer([])
    await time.advance(199)
    expect(asked.length).toBe(1)
    await time.advance(1)
    expect(asked.length).toBe(2)
    await answer([])
    await time.advance(15)
    tell(changed())
    expect(asked.length).toBe(2)
    await time.advance(1)
    expect(asked.length).toBe(3)
  })

  it('takes the plural of a kind, and refuses a name that is no kind', async () => {
    const { live, asked, answer, tell, time } = world()
    live({ method: 'traces.query', kinds: ['traces'] }).subscribe(() => undefined)
    await answer([])
    await time.advance(100)
    tell(changed('fact'))
    expect(asked).toHaveLength(1)
    tell(changed('trace'))
    expect(asked).toHaveLength(2)
    expect(() => live({ method: 'traces.query', kinds: ['traces', 'fakt'] })).toThrow(
      expect.objectContaining({
        code: 'invalid-input',
        message: expect.stringMatching(/^`query\.kinds\.1`: There is no kind `fakt`\. Did you mean `fact`\?/),
        details: { path: 'query.kinds.1', meant: 'fact' },
      }),
    )
  })

  it('asks again for the kinds that it names, and for what else its verb tells of', async () => {
    const { live, asked, tell, answer, time } = world()
    live({ method: 'traces.query', kinds: ['fact'] }).subscribe(() => undefined)
    await answer([])
    await time.advance(100)
    tell(changed('trace'))
    tell({ name: 'task', detail: { id: 't', capability: 'c', state: 'done', attempts: 1 } })
    expect(asked.length).toBe(1)
    tell(changed('fact'))
    expect(asked.length).toBe(2)
    live({ method: 'tasks.list' }).subscribe(() => undefined)
    await answer([])
    await time.advance(100)
    tell({ name: 'task', detail: { id: 't', capability: 'c', state: 'done', attempts: 1 } })
    expect(asked.map(({ id }) => id)).toEqual([
      'kstar:query_traces',
      'kstar:query_traces',
      'task:list',
      'task:list',
    ])
  })

  it('goes on telling the others where a listener throws, whose error is not lost', async () => {
    const { live, answer, tell, time } = world()
    const query = live({ method: 'traces.query' })
    query.subscribe(() => {
      throw new Error('my own mistake')
    })
    const seen: unknown[] = []
    query.subscribe(() => seen.push(query.getSnapshot().data))
    await answer([1])
    expect(seen).toEqual([[1]])
    await expect(time.advance(0)).rejects.toThrow('my own mistake')
    tell({ name: 'closed', detail: { reason: 'erased', code: 'book-erased' } })
    expect(seen).toEqual([[1], undefined])
  })

  it('takes no answer to what was asked before its last listener went', async () => {
    const { live, asked } = world()
    const query = live({ method: 'traces.query' })
    query.subscribe(() => undefined)()
    query.subscribe(() => undefined)
    expect(asked.length).toBe(2)
    asked[0]?.answer(['late'])
    await settle()
    expect(query.getSnapshot().status).toBe('loading')
    asked[1]?.answer(['new'])
    await settle()
    expect(query.getSnapshot()).toMatchObject({ status: 'ready', data: ['new'] })
  })

  it('keeps one object for one answer, and its data through an error', async () => {
    const { live, asked, tell, answer, time } = world()
    const query = live({ method: 'traces.query' })
    let count = 0
    query.subscribe(() => (count += 1))
    await answer([{ id: 1, b: 2 }])
    const first = query.getSnapshot()
    await time.advance(100)
    tell(changed())
    await answer([{ b: 2, id: 1 }])
    expect(query.getSnapshot()).toBe(first)
    await time.advance(100)
    tell(changed())
    asked.at(-1)?.fail(new DaybookError('rate-limited'))
    await settle()
    expect(query.getSnapshot()).toMatchObject({
      status: 'error',
      data: first.data,
      error: { code: 'rate-limited' },
    })
    await time.advance(100)
    tell(changed())
    await answer([{ id: 1, b: 2 }])
    expect(query.getSnapshot().data).toBe(first.data)
    expect(count).toBe(3)
  })

  it('is remembered with its answer for a while, and not for ever', async () => {
    const { live, asked } = world()
    const queries = Array.from({ length: 52 }, (_, limit) =>
      live({ method: 'traces.query', input: { limit } }),
    )
    expect(live({ method: 'traces.query', input: { limit: 51 } })).toBe(queries[51])
    expect(live({ method: 'traces.query', input: { limit: 0 } })).not.toBe(queries[0])
    const held = live({ method: 'traces.query', input: { limit: 50 } })
    held.subscribe(() => undefined)
    for (let limit = 100; limit < 200; limit += 1) live({ method: 'traces.query', input: { limit } })
    expect(live({ method: 'traces.query', input: { limit: 50 } })).toBe(held)
    expect(asked.length).toBe(1)
  })

  it('is an observable: the data as they come, then the error, which ends it', async () => {
    const { live, asked, tell, answer, time, listeners } = world()
    const query = live({ method: 'traces.query' })
    const told: unknown[] = []
    query['@@observable']().subscribe({
      next: (data) => told.push(data),
      error: ({ code }) => told.push(code),
    })
    await answer(['one'])
    await time.advance(100)
    const second = query['@@observable']().subscribe((data) => told.push(data))
    second.unsubscribe()
    tell(changed())
    await answer(['one'])
    await time.advance(100)
    tell(changed())
    await answer(['two'])
    await time.advance(100)
    tell(changed())
    asked.at(-1)?.fail(new DaybookError('rate-limited'))
    await settle()
    expect(told).toEqual([['one'], ['one'], ['two'], 'rate-limited'])
    expect(listeners.size).toBe(0)
  })

  it('of any verb that reads comes to rest: none of them changes what it is told of', async () => {
    const { engine, ports, pass } = openTestEngine()
    const door = createLocalDoor(engine, ports.scheduler)
    await door.call('kstar:store_trace', makeTrace(), {})
    const reads = capabilityTable.filter(({ effect }) => effect === 'read')
    const asked = new Map<string, number>()
    const call = (id: string, input: unknown) => {
      asked.set(id, (asked.get(id) ?? 0) + 1)
      return door.call(id, input, {})
    }
    const rows = reads.map(({ id, methods: [method = id] }) => [method, id, 'read'] as const)
    const live = createLiveMember(
      { call, on: (listener) => door.on(listener) },
      { methods: rows, kinds: [] },
      hostOf(ports),
    )
    for (const [method] of rows) live({ method, input: {} }).subscribe(() => undefined)
    await pass(2000)
    const before = new Map(asked)
    await pass(2000)
    expect(asked).toEqual(before)
    expect(asked.size).toBe(reads.length)
  })
})
