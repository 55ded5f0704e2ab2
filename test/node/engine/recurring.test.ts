// Tasks that come round in virtual time: as chapters declare them, missed, failing, changed and cancelled.
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import type { Recurring } from '../../../src/core/capability/task.ts'
import { createEngine, type Engine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { nextRoundTime } from '../../../src/store/schedules.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { makeTrace } from '../../support/trace.ts'

const hour = 3_600_000
const note = (over: Partial<Recurring> = {}): Recurring => ({
  id: 'note',
  capability: 'kstar:store_traces',
  input: { traces: [makeTrace() as never] },
  every: '1h',
  ...over,
})

/** Opens the same book again and again. */
function createBook() {
  const db = openNodeDatabase({ path: ':memory:' })
  const time = createTestTime()
  let engine: Engine | undefined
  let leadMs = 0
  const ports = { ...time.ports, clock: { now: () => time.ports.clock.now() + leadMs } }
  return {
    pass: time.pass,
    /** Sets the clock ahead of the right time by `ms`. */
    lead: (ms: number) => void (leadMs = ms),
    now: () => ports.clock.now(),
    async open(recurring: readonly Recurring[], role: 'device' | 'mirror' = 'device') {
      const kept = { ...db, close: () => undefined }
      const common = { ports, name: 'b', scope: { agent: 'a' }, durability: 'memory' } as const
      engine = createEngine({ ...common, db: kept, role, recurring })
      for (let i = 0; i < 5; i++) await time.pass(1)
      return engine
    },
    close: () => engine?.close(),
  }
}
const total = async (engine: Engine) =>
  ((await engine.call('kstar:count_traces', {})) as { total: number }).total
const schedules = async (engine: Engine) =>
  (await engine.call('task:schedules', {})) as {
    schedules: {
      task: { id: string; rounds: number; state: string; everyMs: number }
      last: string | null
    }[]
  }

describe('tasks that come round', () => {
  it('of a chapter begin with the first opening and come round from then on', async () => {
    const book = createBook()
    const engine = await book.open([note()])
    await book.pass(1000)
    expect(await total(engine)).toBe(1)
    await book.pass(3.5 * hour)
    expect(await total(engine)).toBe(4)
    expect((await schedules(engine)).schedules).toMatchObject([
      { task: { id: 'note', rounds: 4 }, last: 'done' },
    ])
  })

  it('that were missed while the book was closed are one round at the next opening', async () => {
    const book = createBook()
    const engine = await book.open([note()])
    await book.pass(1000)
    book.close()
    await book.pass(100 * hour)
    const again = await book.open([note()])
    await book.pass(1000)
    expect(await total(again)).toBe(2)
    await book.pass(hour)
    expect(await total(again)).toBe(3)
    expect(engine).not.toBe(again)
  })

  it('come at the right time again after an opening with a clock that was ahead, and so do delayed tasks', async () => {
    const book = createBook()
    await book.open([note()])
    await book.pass(1000)
    book.close()
    book.lead(3 * 366 * 24 * hour)
    const ahead = await book.open([note()])
    await book.pass(1000)
    expect(await total(ahead)).toBe(2)
    const input = { traces: [makeTrace()] }
    await ahead.call('task:add', { capability: 'kstar:store_traces', input, delaySeconds: 600 })
    book.close()
    book.lead(0)
    const right = await book.open([note()])
    await book.pass(1000)
    expect(await total(right)).toBe(2)
    await book.pass(11 * 60_000)
    expect(await total(right)).toBe(3)
    await book.pass(3 * hour)
    expect(await total(right)).toBeGreaterThanOrEqual(5)
  })

  it('come at the right time again after resetClock, except a first round that the owner chose', async () => {
    const book = createBook()
    const engine = await book.open([note()])
    const first = new Date(book.now() + 50 * 24 * hour).toISOString()
    const own = { id: 'own', capability: 'kstar:store_traces', input: { traces: [makeTrace()] }, every: '1h' }
    await engine.call('task:schedule', { ...own, first })
    await book.pass(1000)
    book.lead(2 * 24 * hour)
    await book.pass(2 * hour)
    const before = await total(engine)
    book.lead(0)
    await engine.call('daybook:reset_clock', {})
    await book.pass(3 * hour)
    expect(await total(engine)).toBeGreaterThanOrEqual(before + 2)
    expect(engine.store.schedules.get('own')?.nextAt).toBe(first)
  })

  it('that fail are dead for that round, and come round again', async () => {
    const book = createBook()
    const engine = await book.open([
      note({
        capability: 'kstar:complete_trace',
        input: { id: 'x', result: { success: true } },
        maxAttempts: 1,
      }),
    ])
    await book.pass(1000)
    await book.pass(2.5 * hour)
    const { tasks } = (await engine.call('task:list', { state: 'dead' })) as {
      tasks: { id: string; recurring: string; error: { code: string } }[]
    }
    expect(tasks.map(({ recurring, error }) => [recurring, error.code])).toEqual(
      Array.from({ length: 3 }, () => ['note', 'not-found']),
    )
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(3)
    expect((await schedules(engine)).schedules).toMatchObject([{ last: 'dead', task: { rounds: 3 } }])
  })

  it('stay as the owner changed or cancelled them, and follow the chapter where nobody did', async () => {
    const book = createBook()
    const all = [note({ id: 'kept' }), note({ id: 'slower' }), note({ id: 'ended' }), note({ id: 'gone' })]
    const engine = await book.open(all)
    await book.pass(1000)
    await engine.call('task:schedule', { id: 'slower', every: '2d' })
    await engine.call('task:unschedule', { id: 'ended' })
    book.close()
    const later = [note({ id: 'kept', every: '3h' }), note({ id: 'slower' }), note({ id: 'ended' })]
    const again = await book.open(later)
    await book.pass(10)
    expect(
      (await schedules(again)).schedules.map(({ task: { id, everyMs, state } }) => [id, everyMs, state]),
    ).toEqual([
      ['ended', hour, 'cancelled'],
      ['kept', 3 * hour, 'active'],
      ['slower', 48 * hour, 'active'],
    ])
    const before = await total(again)
    await book.pass(90 * 60_000)
    expect(await total(again)).toBe(before + 1)
    // The owner has it come round again by its name.
    await again.call('task:schedule', { id: 'ended', every: '1h' })
    await book.pass(61 * 60_000)
    expect(await total(again)).toBe(before + 2)
  })

  it('are run where they are declared to be: on a device, or at the mirror', async () => {
    const both = [note({ id: 'here' }), note({ id: 'there', at: 'mirror' })]
    for (const [role, id] of [
      ['device', 'here'],
      ['mirror', 'there'],
    ] as const) {
      const engine = await createBook().open(both, role)
      expect((await schedules(engine)).schedules.map(({ task }) => task.id)).toEqual([id])
      // The alarm of a mirror asks the queue when to look.
      expect(engine.store.tasks.nextCheck()).toBeDefined()
    }
  })

  it('keep to the clock of the first round, however late one begins', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 60_000, max: 366 * 86_400_000 }),
        fc.integer({ min: 0, max: 2 ** 40 }),
        fc.integer({ min: 0, max: 2 ** 38 }),
        (everyMs, due, late) => {
          const text = (ms: number) => new Date(ms).toISOString()
          const next = Date.parse(nextRoundTime({ nextAt: text(due), everyMs }, text(due + late)))
          expect(next).toBeGreaterThan(due + late)
          expect(next - (due + late)).toBeLessThanOrEqual(everyMs)
          expect((next - due) % everyMs).toBe(0)
        },
      ),
    )
  })
})
