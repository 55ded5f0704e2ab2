// A line of a book on a bare socket: what no WebSocket library sends can be sent over it, as fast as it is taken.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A frame from a client, masked with zeros as a mask must be there. */
export function clientFrame(opcode: number, payload = '', isLast = true): Buffer {
  const body = Buffer.from(payload)
  if (body.length > 125) throw new Error('A frame of at most 125 bytes is wanted.')
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, 0x80 | body.length, 0, 0, 0, 0]), body])
}

export const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const

export interface RawLine {
  readonly socket: Socket
  /** Sends `bytes` again and again; answers how many bytes were sent before the other side ended it. */
  flood(bytes: Buffer, mostBytes: number): Promise<number>
  /** The code with which the other side says goodbye, whether it then ends the connection or waits for this one. */
  goodbye(): Promise<number | undefined>
  /** The code with which the other side ended it; undefined when it just went. */
  ended(): Promise<number | undefined>
}

/** Opens the line of a ticket. */
export async function openRawLine(url: string, book: string, ticket: string): Promise<RawLine> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(
    [
      `GET /v1/books/${book}/live HTTP/1.1`,
      `host: ${hostname}:${port}`,
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
      `sec-websocket-protocol: daybook.live.2, ticket.${ticket}`,
      '',
      '',
    ].join('\r\n'),
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  const text = answer.toString('latin1')
  if (!text.startsWith('HTTP/1.1 101 ')) throw new Error(`The line was refused: ${text.slice(0, 200)}`)
  const early = answer.subarray(text.indexOf('\r\n\r\n') + 4)
  const pieces = [early]
  socket.on('data', (piece: Buffer) => pieces.push(piece))
  return {
    socket,
    async flood(bytes, mostBytes) {
      let sent = 0
      while (sent < mostBytes && !socket.destroyed && socket.writable) {
        sent += bytes.length
        if (!socket.write(bytes)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed])
        else await new Promise((resolve) => setImmediate(resolve))
      }
      return sent
    },
    async goodbye() {
      for (;;) {
        const code = closeCodeIn(Buffer.concat(pieces))
        if (code !== undefined || socket.destroyed) return code
        await Promise.race([once(socket, 'data').catch(() => undefined), closed])
      }
    },
    async ended() {
      await closed
      return closeCodeIn(Buffer.concat(pieces))
    },
  }
}

/** The code of the close frame among the frames of a server, which has none longer than 64 KB to say here. */
function closeCodeIn(bytes: Buffer): number | undefined {
  for (let at = 0; at + 2 <= bytes.length;) {
    const [head = 0, short = 0] = bytes.subarray(at, at + 2)
    const isLong = short === 126
    const length = isLong ? bytes.readUInt16BE(at + 2) : short
    const from = at + (isLong ? 4 : 2)
    if ((head & 0x0f) === opcodes.close) return length >= 2 ? bytes.readUInt16BE(from) : undefined
    at = from + length
  }
  return undefined
}
