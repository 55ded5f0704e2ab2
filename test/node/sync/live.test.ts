// The device's half of the line: when it is opened, how it comes back, what it makes of what it hears.
import { describe, expect, it } from 'vitest'
import { DaybookError, type ErrorCode } from '../../../src/core/errors.ts'
import type { LineHooks } from '../../../src/core/ports.ts'
import { openLiveLine, type SocketLike } from '../../../src/sync/device/live-line.ts'
import { beatEveryMs, createBookLive, graceMs } from '../../../src/sync/device/live.ts'
import { readPoke } from '../../../src/sync/wire/live-wire.ts'
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
  const time = createVirtualTime()
  const start = time.nowMs()
  const store = openTestStore([makeKind()])
  const lines: Opened[] = []
  let pokes = 0
  const states: string[] = []
  const live = createBookLive({
    store,
    wanted,
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
    onPoke: () => void (pokes += 1),
    onState: () => void states.push(live?.state() ?? ''),
  })
  const last = () => {
    const line = lines.at(-1)
    if (!line) throw new Error('no line')
    return line
  }
  const fail = (code: ErrorCode = 'offline') => last().hooks.ended(new DaybookError(code))
  return { time, live, store, lines, last, fail, states, pokes: () => pokes }
}
const poke = (seq: number) => JSON.stringify({ type: 'poke', seq })

describe('the line of a device', () => {
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
      await time.advance(beatEveryMs)
      expect(last().said.length).toBe(i)
      last().hooks.received('pong')
    }
    await time.advance(beatEveryMs + 10_000)
    expect([last().closed, live?.state()]).toEqual([true, 'waiting'])
    await time.advance(1000)
    expect(lines.length).toBe(2)
    // What the old one still says is not heard.
    const [old] = lines
    old?.hooks.ended(new DaybookError('forbidden'))
    expect(live?.state()).toBe('connecting')
  })

  it('Q5 is not tried again where it is refused, until the network comes back', async () => {
    for (const code of ['unauthorized', 'forbidden', 'unknown-route', 'conflict'] as const) {
      const { time, lines, fail, live, states } = create()
      await time.advance(0)
      fail(code)
      await time.advance(86_400_000)
      expect([live?.state(), lines.length]).toEqual(['refused', 1])
      expect(states).toEqual(['refused'])
      live?.wake()
      expect([live?.state(), lines.length]).toEqual(['connecting', 2])
    }
  })

  it('Q5 rests while nobody looks, but not for a moment, and is opened at once when somebody does', async () => {
    const { time, lines, last, live } = create()
    await time.advance(0)
    last().hooks.opened()
    live?.attend(false)
    await time.advance(graceMs - 1)
    live?.attend(true)
    await time.advance(1000)
    expect([live?.state(), lines.length]).toEqual(['open', 1])
    live?.attend(false)
    await time.advance(graceMs)
    expect([live?.state(), last().closed]).toEqual(['resting', true])
    live?.wake()
    await time.advance(3_600_000)
    expect(lines.length).toBe(1)
    live?.attend(true)
    expect([live?.state(), lines.length]).toEqual(['connecting', 2])
  })

  it('Q5 ends with the book, and is not there where it is not wanted', async () => {
    const { time, lines, last, live, fail } = create()
    await time.advance(0)
    live?.close()
    fail()
    live?.wake()
    live?.attend(true)
    await time.advance(3_600_000)
    expect([last().closed, lines.length, time.due()]).toEqual([true, 1, []])
    expect(create({ wanted: false }).live).toBeUndefined()
  })
})

describe('a line over a socket', () => {
  const open = (ticket: unknown = { ticket: 'x'.repeat(43) }) => {
    const sockets: (SocketLike & {
      url: string
      protocols: string[]
      sent: string[]
      code: number | undefined
    })[] = []
    const heard: string[] = []
    const line = openLiveLine(
      {
        url: 'https://example.org/v1/books/b/live',
        ask: () => (ticket instanceof Error ? Promise.reject(ticket) : Promise.resolve(ticket)),
        socket(url, protocols) {
          const socket = {
            url,
            protocols,
            sent: [] as string[],
            code: undefined as number | undefined,
            bufferedAmount: 0,
            onopen: null,
            onmessage: null,
            onclose: null,
            send: (text: string) => void socket.sent.push(text),
            close: (code?: number) => void (socket.code = code),
          }
          sockets.push(socket)
          return socket
        },
      },
      'd_1',
      {
        opened: () => void heard.push('opened'),
        received: (text) => void heard.push(text),
        ended: ({ code }) => void heard.push(`ended ${code}`),
      },
    )
    return { line, sockets, heard }
  }
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

  it('shows a ticket as a subprotocol and no key in the address; passes on texts and nothing else', async () => {
    const { sockets, heard } = open()
    await turn()
    const [socket] = sockets
    expect([socket?.url, socket?.protocols]).toEqual([
      'wss://example.org/v1/books/b/live',
      ['daybook.live.1', `ticket.${'x'.repeat(43)}`],
    ])
    socket?.onopen?.({} as never)
    socket?.onmessage?.({ data: 'a' } as never)
    socket?.onmessage?.({ data: new ArrayBuffer(3) } as never)
    socket?.onclose?.({ code: 1006 } as never)
    socket?.onmessage?.({ data: 'late' } as never)
    expect(heard).toEqual(['opened', 'a', 'ended offline'])
  })

  it('ends with what the mirror refused with, or with what it can’t mean', async () => {
    for (const [ticket, code] of [
      [new DaybookError('unauthorized'), 'unauthorized'],
      [{ ticket: '../../' }, 'protocol-error'],
      [null, 'protocol-error'],
    ] as const) {
      const { heard, sockets } = open(ticket)
      await turn()
      expect([heard, sockets.length]).toEqual([[`ended ${code}`], 0])
    }
    const { heard, sockets } = open()
    await turn()
    sockets[0]?.onclose?.({ code: 4409 } as never)
    expect(heard).toEqual(['ended conflict'])
  })

  it('gives up a socket that takes nothing any more, and opens none that was closed before', async () => {
    const { line, sockets, heard } = open()
    line.send('too early')
    await turn()
    line.send('a')
    Object.assign(sockets[0] ?? {}, { bufferedAmount: 1e6 })
    line.send('b')
    expect([sockets[0]?.sent, heard]).toEqual([['a'], ['ended offline']])
    const other = open()
    other.line.close()
    await turn()
    expect([other.sockets.length, other.heard]).toEqual([0, []])
  })

  it('reads a poke and nothing else', () => {
    expect(readPoke('{"type":"poke","seq":3}')).toEqual({ type: 'poke', seq: 3 })
    for (const text of ['', 'null', '{"type":"poke"}', '{"type":"poke","seq":"3"}', '{"seq":3}'])
      expect(readPoke(text)).toBeUndefined()
  })
})
