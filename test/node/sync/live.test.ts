// The device's half of the line: when it is opened, how it comes back, what it makes of what it hears.
import { describe, expect, it } from 'vitest'
import { DaybookError, type ErrorCode } from '../../../src/core/errors.ts'
import type { LineHooks } from '../../../src/core/ports.ts'
import { heartbeatIntervalMs, createLiveLine, hiddenGraceMs } from '../../../src/sync/device/live.ts'
import type { RelayedFrame } from '../../../src/sync/wire/live-wire.ts'
import { createVirtualTime } from '../../support/virtual-time.ts'
import { makeKind, openTestStore } from '../../support/test-store.ts'

interface Opened {
  readonly atMs: number
  readonly device: string
  readonly hooks: LineHooks
  readonly said: string[]
  closed: boolean
}

function create({ chance = 0.5, wanted = true, answers = true } = {}) {
  const talk: RelayedFrame[] = []
  const time = createVirtualTime()
  const start = time.nowMs()
  const store = openTestStore([makeKind()])
  const lines: Opened[] = []
  let pokes = 0
  const states: string[] = []
  const live = createLiveLine({
    store,
    isEnabled: wanted,
    ...time,
    random: { bytes: (n) => new Uint8Array(n).fill(Math.floor(chance * 256), n - 1) },
    carrier: {
      exchange: () => Promise.reject(new Error('not here')),
      listen(device, hooks) {
        const line: Opened = {
          atMs: time.nowMs() - start,
          device,
          hooks,
          said: [],
          closed: false,
        }
        lines.push(line)
        const send = (text: string) => {
          line.said.push(text)
          if (answers) hooks.received('pong')
        }
        return {
          send,
          close: () => void (line.closed = true),
        }
      },
    },
    purposes: ['sync', 'room'],
    onRelayedFrame: (frame) => void talk.push(frame),
    onPoke: () => void (pokes += 1),
    onState: () => void states.push(live?.state() ?? ''),
  })
  const last = () => {
    const line = lines.at(-1)
    if (!line) throw new Error('no line')
    return line
  }
  const fail = (code: ErrorCode = 'offline') => last().hooks.ended(new DaybookError(code))
  return { time, live, store, lines, last, fail, states, talk, pokes: () => pokes }
}
const poke = (seq: number) => JSON.stringify({ type: 'poke', seq })

describe('the line of a device', () => {
  it('is opened again under the new name of its device', async () => {
    const { time, store, last, lines } = create()
    await time.advance(0)
    last().hooks.opened(2)
    Object.defineProperty(store, 'device', { value: 'd_other' })
    last().hooks.received(poke(1))
    expect(lines.map(({ device, closed }) => [device === store.device, closed])).toEqual([
      [false, true],
      [true, false],
    ])
  })

  it('O6 says and hears talk on a line of version 2 that is open, and on no other', async () => {
    const { time, live, last, talk, fail } = create()
    const frame = { type: 'room', data: { text: 'x' } } as const
    const relayed = JSON.stringify({ ...frame, from: { device: 'd_2' } })
    expect(live?.send(frame)).toBe(false)
    await time.advance(0)
    last().hooks.opened(1)
    last().hooks.received(relayed)
    expect([live?.send(frame), last().said, talk]).toEqual([false, [], []])
    fail()
    await time.advance(600_000)
    last().hooks.opened(2)
    last().hooks.received(relayed)
    last().hooks.received('{"type":"room","data":{}}')
    last().hooks.received('{"type":"later"}')
    expect(live?.send(frame)).toBe(true)
    expect(last().said.slice(-1)).toEqual([JSON.stringify(frame)])
    expect(talk).toEqual([JSON.parse(relayed)])
    const long = { type: 'room', data: { text: 'é'.repeat(35_000) } } as const
    expect(() => live?.send(long)).toThrow('at most 70000 bytes')
    fail()
    expect(live?.send(frame)).toBe(false)
  })

  it('Q5 opens with the book, in the name of the device, and pokes when the mirror is ahead of what was read', async () => {
    const { time, live, store, last, pokes } = create()
    expect(live?.state()).toBe('connecting')
    await time.advance(0)
    last().hooks.opened()
    expect([live?.state(), last().device]).toEqual(['open', store.device])
    store.db.transaction(() => store.settings.set('cursor', 7))
    for (const text of ['pong', poke(7), poke(3), 'pong', '', '{', '{"type":"later","x":1}', poke(-1), '[]'])
      last().hooks.received(text)
    expect(pokes()).toBe(0)
    last().hooks.received(poke(8))
    expect(pokes()).toBe(1)
  })

  it('Q5 M10 a mirror that stands behind the device when the line is opened was set back: it is asked', async () => {
    const { time, store, last, pokes } = create()
    await time.advance(0)
    last().hooks.opened()
    store.db.transaction(() => store.settings.set('cursor', 7))
    last().hooks.received(poke(3))
    expect(pokes()).toBe(1)
    last().hooks.received(poke(3))
    expect(pokes()).toBe(1)
  })

  it('Q5 comes back after longer and longer waits, anew after it has heard something', async () => {
    const { time, lines, last, fail, live } = create()
    await time.advance(0)
    for (let i = 0; i < 5; i++) {
      fail()
      expect(live?.state()).toBe('waiting')
      await time.advance(600_000)
    }
    const waits = lines.slice(1).map(({ atMs }, i) => atMs - i * 600_000)
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000])
    last().hooks.opened()
    last().hooks.received('pong')
    fail()
    await time.advance(1000)
    expect(lines.length).toBe(7)
  })

  it('Q5 asks for a sign of life, and gives up a line that gives none', async () => {
    const { time, lines, last, live } = create({ answers: false })
    await time.advance(0)
    last().hooks.opened()
    for (let i = 1; i <= 3; i++) {
      await time.advance(heartbeatIntervalMs)
      expect(last().said.length).toBe(i)
      last().hooks.received('pong')
    }
    await time.advance(heartbeatIntervalMs + 10_000)
    expect([last().closed, live?.state()]).toEqual([true, 'waiting'])
    await time.advance(1000)
    expect(lines.length).toBe(2)
    // What the old one still says is not heard.
    const [old] = lines
    old?.hooks.ended(new DaybookError('forbidden'))
    expect(live?.state()).toBe('connecting')
  })

  it('Q3 Q5 is not tried again where it is refused, until a caller has synced', async () => {
    for (const code of ['unauthorized', 'forbidden', 'unknown-route', 'conflict'] as const) {
      const { time, lines, fail, live, states } = create()
      await time.advance(0)
      fail(code)
      await time.advance(86_400_000)
      expect([live?.state(), lines.length]).toEqual(['refused', 1])
      expect(states).toEqual(['refused'])
      live?.wake()
      live?.setVisible(false)
      await time.advance(hiddenGraceMs)
      live?.setVisible(true)
      expect([live?.state(), lines.length, time.due()]).toEqual(['refused', 1, []])
      live?.resume()
      expect([live?.state(), lines.length]).toEqual(['connecting', 2])
      live?.resume()
      expect(lines.length).toBe(2)
    }
  })

  it('Q3 closes where a sync was refused, open or about to be tried again', async () => {
    for (const isOpen of [true, false]) {
      const { time, lines, last, live, fail } = create()
      await time.advance(0)
      last().hooks.opened()
      if (!isOpen) fail()
      live?.refuse()
      expect([live?.state(), last().closed, time.due()]).toEqual(['refused', isOpen, []])
      live?.resume()
      expect(lines.length).toBe(2)
    }
  })

  it('Q5 rests while nobody looks, but not for a moment, and is opened at once when somebody does', async () => {
    const { time, lines, last, live } = create()
    await time.advance(0)
    last().hooks.opened()
    live?.setVisible(false)
    await time.advance(hiddenGraceMs - 1)
    live?.setVisible(true)
    await time.advance(1000)
    expect([live?.state(), lines.length]).toEqual(['open', 1])
    live?.setVisible(false)
    await time.advance(hiddenGraceMs)
    expect([live?.state(), last().closed]).toEqual(['resting', true])
    live?.wake()
    await time.advance(3_600_000)
    expect(lines.length).toBe(1)
    live?.setVisible(true)
    expect([live?.state(), lines.length]).toEqual(['connecting', 2])
  })

  it('Q5 ends with the book, and is not there where it is not wanted', async () => {
    const { time, lines, last, live, fail } = create()
    await time.advance(0)
    live?.close()
    fail()
    live?.wake()
    live?.setVisible(true)
    await time.advance(3_600_000)
    expect([last().closed, lines.length, time.due()]).toEqual([true, 1, []])
    expect(create({ wanted: false }).live).toBeUndefined()
  })
})
