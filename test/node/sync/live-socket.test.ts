// A line over a socket: what is asked and shown to open it, what is passed on, and how it ends.
import { describe, expect, it } from 'vitest'
import { DaybookError, type ErrorCode } from '../../../src/core/errors.ts'
import { openLiveLine, type SocketLike } from '../../../src/sync/device/http-carrier.ts'
import { type Purpose, parsePoke } from '../../../src/sync/wire/live-wire.ts'

describe('a line over a socket', () => {
  const open = (ticket: unknown = { ticket: 'x'.repeat(43) }) => {
    const sockets: (SocketLike & {
      url: string
      protocols: string[]
      sent: string[]
      code: number | undefined
    })[] = []
    const heard: string[] = []
    const versions: unknown[] = []
    const line = openLiveLine(
      {
        url: 'https://example.org/v1/books/b/live',
        requestTicket: () => (ticket instanceof Error ? Promise.reject(ticket) : Promise.resolve(ticket)),
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
        opened(version) {
          heard.push('opened')
          versions.push(version)
        },
        received: (text) => void heard.push(text),
        ended: ({ code }) => void heard.push(`ended ${code}`),
      },
    )
    return { line, sockets, heard, versions }
  }
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

  it('shows a ticket as a subprotocol and no key in the address; passes on texts and nothing else', async () => {
    const { sockets, heard } = open()
    await turn()
    const [socket] = sockets
    expect([socket?.url, socket?.protocols]).toEqual([
      'wss://example.org/v1/books/b/live',
      ['daybook.live.2', 'daybook.live.1', `ticket.${'x'.repeat(43)}`],
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

  it('O1 asks for a ticket for what the line is for, and where a mirror knows no purposes, for pokes', async () => {
    const askedOf = async (purposes: readonly Purpose[], code?: ErrorCode) => {
      const asked: object[] = []
      const heard: string[] = []
      openLiveLine(
        {
          url: 'https://example.org/v1/books/b/live',
          requestTicket: (body) => {
            asked.push(body)
            if (code && 'for' in body) return Promise.reject(new DaybookError(code))
            return Promise.reject(new DaybookError('offline'))
          },
          socket: () => {
            throw new Error('not here')
          },
        },
        'd_1',
        {
          opened: () => undefined,
          received: () => undefined,
          ended: (error) => void heard.push(error.code),
        },
        purposes,
      )
      await turn()
      return { asked, heard }
    }
    const [plain, both] = [{ device: 'd_1' }, { device: 'd_1', for: ['sync', 'room'] }]
    expect(await askedOf(['sync'])).toEqual({ asked: [plain], heard: ['offline'] })
    expect(await askedOf(['sync', 'room'], 'invalid-input')).toEqual({
      asked: [both, plain],
      heard: ['offline'],
    })
    // A key that may not talk may still be told of changes.
    expect(await askedOf(['sync', 'room'], 'forbidden')).toEqual({ asked: [both, plain], heard: ['offline'] })
    expect((await askedOf(['room'], 'forbidden')).heard).toEqual(['forbidden'])
    expect((await askedOf(['room'], 'invalid-input')).heard).toEqual(['invalid-input'])
  })

  it('O2 takes the version that the mirror took, 1 where it did not say', async () => {
    for (const [protocol, version] of [
      ['daybook.live.2', 2],
      ['daybook.live.1', 1],
      [undefined, 1],
      ['', 1],
    ] as const) {
      const { sockets, versions } = open()
      await turn()
      Object.assign(sockets[0] ?? {}, { protocol })
      sockets[0]?.onopen?.({} as never)
      expect([protocol, versions]).toEqual([protocol, [version]])
    }
  })

  it('ends for good when the book is erased', async () => {
    const { heard, sockets } = open()
    await turn()
    sockets[0]?.onclose?.({ code: 4410 } as never)
    expect(heard).toEqual(['ended book-erased'])
  })

  it('reads a poke and nothing else', () => {
    expect(parsePoke('{"type":"poke","seq":3}')).toEqual({ type: 'poke', seq: 3 })
    for (const text of ['', 'null', '{"type":"poke"}', '{"type":"poke","seq":"3"}', '{"seq":3}'])
      expect(parsePoke(text)).toBeUndefined()
  })
})
