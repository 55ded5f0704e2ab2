// Work in idle moments: rows that a scrub leaves pending are derived without another commit.
import { expect, it } from 'vitest'
import { createIdleWork, type IdleWorkParts } from '../../../src/engine/service/idle-work.ts'

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
