// The deadlines of the page's calls share one timer.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Deadlines } from '../../../../src/hosts/browser/page/deadlines.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('calls each function at its time, whatever the order of the deadlines', () => {
  const deadlines = new Deadlines()
  const late: string[] = []
  const began = performance.now()
  const add = (ms: number) => deadlines.add(ms, () => late.push(`${ms} at ${performance.now() - began}`))
  add(300)
  add(100)
  const cancel = add(200)
  add(100)
  cancel()
  vi.advanceTimersByTime(99)
  expect(late).toEqual([])
  vi.advanceTimersByTime(1)
  add(50)
  vi.advanceTimersByTime(1000)
  expect(late).toEqual(['100 at 100', '100 at 100', '50 at 150', '300 at 300'])
  expect(vi.getTimerCount()).toBe(0)
})

it('sets one timer for calls that are answered one after another', () => {
  const deadlines = new Deadlines()
  const set = vi.spyOn(globalThis, 'setTimeout')
  for (let call = 0; call < 100; call += 1) {
    deadlines.add(30_000, () => expect.unreachable())()
    vi.advanceTimersByTime(1)
  }
  expect(set).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(60_000)
  expect(vi.getTimerCount()).toBe(0)
})
