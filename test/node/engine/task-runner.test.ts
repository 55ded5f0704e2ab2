// The runner of tasks over a real store, with a clock that stands still until it is moved.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DaybookError } from '../../../src/core/errors.ts'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { formatTime } from '../../../src/core/time.ts'
import {
  backoff,
  backoffMs,
  TaskRunner,
  leaseMs,
  type TaskAttempt,
} from '../../../src/engine/task/task-runner.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { migrate } from '../../../src/store/schema/version.ts'
import { TaskQueue } from '../../../src/store/task-queue.ts'
import { WriteQueue } from '../../../src/store/write-queue.ts'

let serial = 0
const databases: SqlDatabase[] = []
afterEach(() => databases.splice(0).forEach((db) => db.close()))

function openDatabase(): SqlDatabase {
  const db = openNodeDatabase({ path: ':memory:' })
  databases.push(db)
  migrate(db, formatTime(0))
  return db
}

/** A runner over `db` whose calls the test answers by hand. */
function openRunner(db = openDatabase(), world = { now: 1_000_000 }, isShared = false) {
  const queue = new TaskQueue(db)
  let soon: (() => void)[] = []
  let timers: { at: number; task: () => void }[] = []
  const scheduler = {
    soon: (task: () => void) => void soon.push(task),
    later(delayMs: number, task: () => void) {
      const timer = { at: world.now + delayMs, task }
      timers.push(timer)
      return () => void (timers = timers.filter((one) => one !== timer))
    },
  }
  const writes = new WriteQueue(db, scheduler, () => undefined)
  const calls: (TaskAttempt & { resolve(value?: unknown): void; reject(error: unknown): void })[] = []
  const told: string[] = []
  const runner = new TaskRunner({
    queue,
    writes,
    scheduler,
    isShared,
    clock: { now: () => world.now },
    random: { bytes: (count) => new Uint8Array(count).fill(++serial) },
    emit: ({ capability, state, attempts }) => void told.push(`${capability} ${state} ${attempts}`),
    call: (attempt) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      calls.push({
        ...attempt,
        resolve,
        reject,
      })
      return promise
    },
  })
  /** Lets everything happen that needs no time. */
  const settle = async () => {
    for (let quiet = 0; quiet < 5; quiet++) {
      await Promise.resolve()
      const tasks = soon
      soon = []
      for (const task of tasks) task()
      if (tasks.length > 0) quiet = 0
    }
  }
  return {
    db,
    queue,
    runner,
    calls,
    told,
    settle,
    world,
    writes,
    timerCount: () => timers.length,
    add(
      name: string,
      options: {
        maxAttempts?: number
        dueAt?: number
      } = {},
    ) {
      const { maxAttempts = 3, dueAt = world.now } = options
      const task = {
        id: name,
        capability: name,
        input: { name },
        scope: { agent: 'test' },
        maxAttempts,
        dueAt: formatTime(dueAt),
      }
      db.transaction(() => queue.add(task, formatTime(world.now)))
    },
    async begin() {
      runner.wake()
      await settle()
    },
    async pass(ms: number) {
      world.now += ms
      const due = timers.filter(({ at }) => at <= world.now)
      timers = timers.filter(({ at }) => at > world.now)
      for (const { task } of due) task()
      await settle()
    },
  }
}

it('runs two at once, in the order they are due', async () => {
  const { add, begin, calls, settle, queue } = openRunner()
  for (const name of ['a', 'b', 'c']) add(name)
  await begin()
  expect(calls.map(({ task }) => task.id)).toEqual(['a', 'b'])
  calls[1]?.resolve('answer')
  await settle()
  expect(calls.map(({ task }) => task.id)).toEqual(['a', 'b', 'c'])
  expect(queue.get('b')).toMatchObject({ state: 'done', result: 'answer' })
})

it('tries again after a pause that doubles, and is dead after the last try', async () => {
  const { add, begin, calls, pass, settle, queue, told } = openRunner()
  add('a')
  await begin()
  for (const number of [1, 2]) {
    calls.at(-1)?.reject(new DaybookError('offline'))
    await settle()
    expect(queue.get('a')).toMatchObject({ state: 'waiting', attempts: number, error: { code: 'offline' } })
    await pass(backoffMs(number, 0) - 1)
    expect(calls).toHaveLength(number)
    await pass(backoffMs(number, 1) - backoffMs(number, 0) + 1)
    expect(calls).toHaveLength(number + 1)
  }
  calls.at(-1)?.reject(new Error('of another kind'))
  await settle()
  expect(queue.get('a')).toMatchObject({ state: 'dead', attempts: 3, error: { code: 'internal' } })
  await pass(backoff.longestMs)
  expect(calls).toHaveLength(3)
  expect(told).toEqual([
    'a running 1',
    'a waiting 1',
    'a running 2',
    'a waiting 2',
    'a running 3',
    'a dead 3',
  ])
})

it('waits without counting the try while the verb can’t be loaded, at most a minute at a time', async () => {
  const { add, begin, calls, pass, settle, queue, told } = openRunner()
  add('a', { maxAttempts: 1 })
  await begin()
  const pauses = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]
  for (const [i, longest] of pauses.entries()) {
    calls.at(-1)?.reject(new DaybookError('part-unavailable'))
    await settle()
    expect(queue.get('a')).toMatchObject({
      state: 'waiting',
      attempts: 0,
      error: { code: 'part-unavailable' },
    })
    await pass(longest / 2 - 1)
    expect(calls).toHaveLength(i + 1)
    await pass(longest / 2 + 1)
    expect(calls).toHaveLength(i + 2)
  }
  expect(told.slice(0, 4)).toEqual(['a running 1', 'a waiting 0', 'a running 1', 'a waiting 0'])
  calls.at(-1)?.resolve('answer')
  await settle()
  expect(queue.get('a')).toMatchObject({ state: 'done', attempts: 1, result: 'answer' })
})

it('counts a try that failed after the verb was loaded', async () => {
  const { add, begin, calls, pass, settle, queue } = openRunner()
  add('a', { maxAttempts: 2 })
  await begin()
  for (const code of ['part-unavailable', 'offline', 'part-unavailable', 'offline'] as const) {
    calls.at(-1)?.reject(new DaybookError(code))
    await settle()
    await pass(5000)
  }
  expect(calls).toHaveLength(4)
  expect(queue.get('a')).toMatchObject({ state: 'dead', attempts: 2, error: { code: 'offline' } })
})

it('gives up a try that shows no progress, and what it says afterwards counts for nothing', async () => {
  const { add, begin, calls, pass, settle, queue } = openRunner()
  add('a')
  await begin()
  await pass(leaseMs - 1)
  calls[0]?.heartbeat()
  await pass(leaseMs - 1)
  expect(calls[0]?.signal.aborted).toBe(false)
  await pass(1)
  expect(calls[0]?.signal.aborted).toBe(true)
  expect(queue.get('a')).toMatchObject({ state: 'waiting', error: { code: 'deadline-exceeded' } })
  await pass(1000)
  expect(calls).toHaveLength(2)
  calls[0]?.resolve('late')
  await settle()
  expect(queue.get('a')).toMatchObject({ state: 'running', attempts: 2 })
  calls[1]?.resolve('in time')
  await settle()
  expect(queue.get('a')).toMatchObject({ state: 'done', result: 'in time' })
})

it('shared with others, takes over what they run when its lease has ended, and not before', async () => {
  const world = { now: 1_000_000 }
  const first = openRunner(openDatabase(), world, true)
  first.add('one')
  await first.begin()
  const second = openRunner(first.db, world, true)
  await second.begin()
  await second.pass(leaseMs - 1)
  expect([first.calls.length, second.calls.length]).toEqual([1, 0])
  // What shows progress is somebody's.
  first.calls[0]?.heartbeat()
  await first.settle()
  await second.pass(leaseMs - 1)
  expect(second.calls.length).toBe(0)
  await second.pass(leaseMs)
  expect(second.calls.map(({ task }) => task.attempts)).toEqual([2])
  first.calls[0]?.resolve()
  await first.settle()
  expect(second.queue.get('one')?.state).toBe('running')
})

it('takes over what an engine left that ended in the middle, counting the try', async () => {
  const first = openRunner()
  first.add('a', { maxAttempts: 2 })
  await first.begin()
  // The first is gone without a word: nothing of it runs any more.
  const next = openRunner(first.db, first.world)
  await next.begin()
  expect(next.calls.map(({ task }) => task.attempts)).toEqual([2])
  const last = openRunner(first.db, first.world)
  await last.begin()
  expect(last.calls).toEqual([])
  expect(last.queue.get('a')).toMatchObject({ state: 'dead', attempts: 2, error: { code: 'engine-died' } })
})

it('gives back what it runs when it is closed in an orderly way, not counting the try', async () => {
  const { add, begin, calls, runner, writes, queue } = openRunner()
  add('a')
  await begin()
  runner.close()
  writes.close()
  expect(calls[0]?.signal.aborted).toBe(true)
  expect(queue.get('a')).toMatchObject({ state: 'waiting', attempts: 0 })
})

it('sleeps until the next is due, however the clock is set', async () => {
  const { add, begin, calls, pass, world } = openRunner()
  add('a', { dueAt: world.now + 5000 })
  await begin()
  await pass(4999)
  expect(calls).toEqual([])
  await pass(1)
  expect(calls).toHaveLength(1)
  add('b', { dueAt: world.now + 10 * leaseMs })
  await begin()
  world.now += 10 * leaseMs
  await pass(0)
  expect(calls.map(({ task }) => task.id)).toContain('b')
})

it('starts nothing when it is closed while it takes a task, and gives the task back', async () => {
  const { add, begin, runner, settle, calls, queue, writes } = openRunner()
  await begin()
  add('a')
  runner.wake()
  runner.close()
  await settle()
  writes.close()
  expect(calls).toEqual([])
  expect(queue.get('a')).toMatchObject({ state: 'waiting', attempts: 0 })
})

it('runs the next task at once when a running one is cancelled', async () => {
  const { add, begin, calls, runner, db, queue, settle } = openRunner()
  for (const name of ['a', 'b', 'c']) add(name)
  await begin()
  db.transaction(() => queue.remove('a'))
  runner.cancel('a')
  await settle()
  expect(calls.map(({ task }) => task.id)).toEqual(['a', 'b', 'c'])
})

it('has one timer while the queue cannot be read, however often it is woken, and none once closed', async () => {
  const { begin, runner, queue, timerCount } = openRunner()
  const failing = vi.spyOn(queue, 'nextDue').mockImplementation(() => {
    throw new DaybookError('storage-failed')
  })
  for (let times = 0; times < 5; times++) await begin()
  expect([failing.mock.calls.length > 0, timerCount()]).toEqual([true, 1])
  runner.close()
  expect(timerCount()).toBe(0)
})

it('writes the end of an attempt once, however long the write waits', async () => {
  const { add, begin, pass, queue, writes } = openRunner()
  add('a')
  await begin()
  const write = vi.spyOn(writes, 'write').mockReturnValue(new Promise(() => undefined))
  await pass(leaseMs)
  for (let times = 0; times < 20; times++) await pass(1)
  expect(write).toHaveBeenCalledTimes(1)
  expect(queue.get('a')?.state).toBe('running')
})

it('stores an outcome later when the queue could not be written', async () => {
  const { add, begin, calls, pass, settle, queue, told } = openRunner()
  add('a')
  await begin()
  const failing = vi.spyOn(queue, 'finish').mockImplementation(() => {
    throw new DaybookError('storage-full')
  })
  calls[0]?.resolve('answer')
  await settle()
  expect(queue.get('a')?.state).toBe('running')
  failing.mockRestore()
  await pass(10_000)
  expect(queue.get('a')).toMatchObject({ state: 'done', result: 'answer', attempts: 1 })
  expect(told).toEqual(['a running 1', 'a done 1'])
})

it('cancels a task that is dropped', async () => {
  const { add, begin, calls, runner, db, queue, settle } = openRunner()
  add('a')
  await begin()
  expect(db.transaction(() => queue.remove('a'))).toBe(true)
  runner.cancel('a')
  expect(calls[0]?.signal.aborted).toBe(true)
  calls[0]?.reject(new DaybookError('aborted'))
  await settle()
  expect(queue.list({ limit: 10 })).toEqual([])
})

describe('the pause after a failure', () => {
  it('doubles up to an hour, half of it by chance', () => {
    expect([1, 2, 3, 20, 1000].map((number) => backoffMs(number, 1))).toEqual([
      1000, 2000, 4000, 3_600_000, 3_600_000,
    ])
    expect([1, 2, 3].map((number) => backoffMs(number, 0))).toEqual([500, 1000, 2000])
  })
})
