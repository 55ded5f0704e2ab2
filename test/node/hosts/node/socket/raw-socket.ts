// A connection to the socket of a book without any of Daybook's code: what it sends, and what comes back.
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'

export const socketOf = (bookPath: string) => readFileSync(`${bookPath}.socket`, 'utf8').trim()

export function frameOf(value: unknown): Buffer {
  const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

export interface RawSocket {
  readonly socket: Socket
  /** The next message, or undefined when the other end has closed. */
  next(): Promise<unknown>
  ask(value: unknown): Promise<unknown>
  /** Everything that comes until the other end closes. */
  rest(): Promise<unknown[]>
}

export async function openRaw(path: string): Promise<RawSocket> {
  const socket = connect(path)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  let bytes = Buffer.alloc(0)
  let isOver = false
  let wake = () => undefined as void
  socket.on('data', (piece) => {
    bytes = Buffer.concat([bytes, piece as Buffer])
    wake()
  })
  socket.once('close', () => {
    isOver = true
    wake()
  })
  const next = async (): Promise<unknown> => {
    for (;;) {
      const size = bytes.length < 4 ? Infinity : 4 + bytes.readUInt32BE()
      if (bytes.length >= size) {
        const body = bytes.subarray(4, size).toString('utf8')
        bytes = bytes.subarray(size)
        return JSON.parse(body) as unknown
      }
      if (isOver) return undefined
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return {
    socket,
    next,
    ask(value) {
      socket.write(frameOf(value))
      return next()
    },
    async rest() {
      const all: unknown[] = []
      for (let one = await next(); one !== undefined; one = await next()) all.push(one)
      return all
    },
  }
}
