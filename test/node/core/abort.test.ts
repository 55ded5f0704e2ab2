// A deadline ends work once: by its time or with its caller, and not after the work has ended.
import { expect, it } from 'vitest'
import { createAbort, createDeadline } from '../../../src/core/abort.ts'

function begin(caller = createAbort()) {
  const timers = new Set<() => void>()
  const later = (delayMs: number, task: () => void) => {
    expect(delayMs).toBe(50)
    timers.add(task)
    return () => void timers.delete(task)
  }
  const deadline = createDeadline(caller.signal, { later }, 50)
  let ended = 0
  deadline.signal.addEventListener('abort', () => (ended += 1))
  return { caller, deadline, timers, ended: () => ended, pass: () => timers.forEach((task) => task()) }
}

it('ends work when its time is over, and says so', () => {
  const { deadline, ended, pass, caller } = begin()
  expect([deadline.signal.aborted, deadline.isOver()]).toEqual([false, false])
  pass()
  expect([deadline.signal.aborted, deadline.isOver(), ended()]).toEqual([true, true, 1])
  caller.abort()
  expect(ended()).toBe(1)
})

it('ends work with its caller, for the same reason', () => {
  const { deadline, ended, caller } = begin()
  caller.abort('gone')
  expect([deadline.signal.aborted, deadline.signal.reason, deadline.isOver()]).toEqual([true, 'gone', false])
  expect(ended()).toBe(1)
})

it('is not over when its time passes after the caller gave up', () => {
  const { caller, deadline, pass } = begin()
  caller.abort('gone')
  pass()
  expect(deadline.isOver()).toBe(false)
})

it('ends at once what a caller begins that has given up', () => {
  const caller = createAbort()
  caller.abort()
  expect(begin(caller).deadline.signal.aborted).toBe(true)
})

it('watches nothing after the work has ended', () => {
  const { deadline, ended, timers, caller } = begin()
  deadline.end()
  caller.abort()
  expect([timers.size, ended(), deadline.signal.aborted]).toEqual([0, 0, false])
})
