// Work in idle moments: rows that a scrub leaves pending are derived without another commit, and work waits for
// writes.
import { expect, it } from 'vitest'
import {
  createCheckpointWork,
  createIdleWork,
  type IdleWorkParts,
} from '../../../src/engine/service/idle-work.ts'

it('derives the rows that a scrub leaves pending, and is idle after that', () => {
  const planned: (() => void)[] = []
  const done: string[] = []
  let pending = 1
  let isDue = true
  const parts = {
    store: {
      role: 'device',
      projection: {
        step: () => {
          if (pending === 0) return false
          pending -= 1
          done.push('step')
          return true
        },
      },
      purge: {
        isDue: () => isDue,
        // It empties the text index.
        scrub: () => {
          isDue = false
          pending += 2
          done.push('scrub')
        },
      },
    },
    clock: { now: () => 0 },
    scheduler: {
      later: (_delayMs: number, work: () => void) => {
        planned.push(work)
        return () => undefined
      },
    },
    log: { warn: () => expect.unreachable() },
    onIdle: () => done.push('idle'),
    isBusy: () => false,
  } as unknown as IdleWorkParts
  createIdleWork(parts)
  for (let work = planned.shift(); work; work = planned.shift()) work()
  expect(done.filter((one, i) => one !== done[i - 1])).toEqual(['step', 'scrub', 'step', 'idle'])
  expect(pending).toBe(0)
})

it('derives no rows while a large write is on its way to its commit, nor soon after', () => {
  const planned: (() => void)[] = []
  let steps = 0
  const work = createIdleWork({
    store: {
      role: 'device',
      projection: { step: () => (steps += 1) < 0, keepUp: () => undefined },
      purge: { isDue: () => false },
    },
    clock: { now: () => 0 },
    scheduler: {
      later: (_delayMs: number, run: () => void) => {
        planned.push(run)
        return () => undefined
      },
    },
    log: { warn: () => expect.unreachable() },
    onIdle: () => undefined,
    isBusy: () => false,
  } as unknown as IdleWorkParts)
  work.committed?.()
  work.called?.('read')
  work.called?.('write')
  planned.at(-1)?.()
  expect(steps).toBe(0)
  const timers = planned.length
  for (let commit = 0; commit < 10; commit += 1) work.committed?.()
  expect(planned).toHaveLength(timers)
  planned.at(-1)?.()
  expect(steps).toBe(0)
  planned.at(-1)?.()
  expect(steps).toBeGreaterThan(0)
})

it('copies records to the checkpoint between writes, and now and then while they never pause', () => {
  const delays: number[] = []
  let next: () => void = () => undefined
  let steps = 0
  const work = createCheckpointWork({
    checkpoint: { step: () => (steps += 1) > 0, removeForSpace: () => false, close: () => undefined },
    scheduler: {
      later(delayMs, run) {
        delays.push(delayMs)
        next = run
        return () => undefined
      },
    },
    onFault: () => expect.unreachable(),
    onGivenUp: undefined,
  })
  work.idle?.()
  next()
  expect(steps).toBe(1)
  work.committed?.()
  next()
  expect(steps).toBe(1)
  next()
  expect(steps).toBe(2)
  let waits = 0
  for (; steps === 2; waits += 1) {
    work.committed?.()
    next()
  }
  expect(waits).toBe(21)
  expect(delays.slice(-3)).toEqual([100, 100, 8])
})
