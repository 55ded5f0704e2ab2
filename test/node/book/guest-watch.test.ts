// The watch of a guest's rights, over a door and a clock of the test's.
import { expect, it } from 'vitest'
import type { BookEvent } from '../../../src/core/capability/event.ts'
import { GuestEvents } from '../../../src/book/guest-events.ts'
import { GuestWatch } from '../../../src/book/guest-watch.ts'

const startMs = Date.UTC(2026, 0, 1)
const endMs = startMs + 1000

it('ends with its token also where the time of that is over while it is looked at', async () => {
  let nowMs = startMs
  const timers: { readonly atMs: number; readonly work: () => void }[] = []
  const clock = {
    now: () => nowMs,
    later(delayMs: number, work: () => void) {
      const one = { atMs: nowMs + delayMs, work }
      timers.push(one)
      return () => void timers.splice(timers.indexOf(one), 1)
    },
  }
  let looks = 0
  const door = {
    on: () => () => undefined,
    async call(id: string): Promise<unknown> {
      if (id === 'consent:list_policies') return { policies: [] }
      looks += 1
      const state = nowMs < endMs ? 'active' : 'expired'
      // The answer is of before the end, and comes after it.
      nowMs = endMs + 5
      return { tokens: [{ state, expires_at: new Date(endMs).toISOString() }] }
    },
  }
  const heard: BookEvent['name'][] = []
  const watch = new GuestWatch(door, 'token', clock)
  watch.on(({ name }) => heard.push(name))
  await expect.poll(() => timers.length).toBe(1)
  expect(looks).toBe(1)
  const [timer] = timers.splice(0)
  expect(timer?.atMs).toBe(endMs + 6)
  timer?.work()
  await expect.poll(() => heard).toEqual(['change', 'closed'])
})

it('notifies a later listener of changes after an end that no listener waited for', async () => {
  const listeners = new Set<(event: BookEvent) => void>()
  const events = new GuestEvents({
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    ask: () => Promise.resolve({ records: [{ id: 'trace-1', kind: 'trace' }] }),
    askOwner: () => Promise.resolve({ records: [] }),
  })
  const send = (event: BookEvent) => {
    for (const listener of Array.from(listeners)) listener(event)
  }
  const change: BookEvent = { name: 'change', detail: { ids: ['trace-1'], kinds: ['trace'], more: 0 } }
  const received: string[] = []
  events.on(({ name }) => received.push(`first ${name}`), 'change')
  send(change)
  await expect.poll(() => received).toEqual(['first change'])
  // The watch removes its listeners at the end of the token, and sends each the end.
  const ended = Array.from(listeners)
  listeners.clear()
  for (const listener of ended)
    listener({ name: 'closed', detail: { reason: 'expired', code: 'unauthorized' } })
  await new Promise((resolve) => setTimeout(resolve))
  events.on(({ name }) => received.push(`second ${name}`), 'change')
  expect(listeners.size).toBe(1)
  send(change)
  await expect.poll(() => received).toEqual(['first change', 'second change'])
})
