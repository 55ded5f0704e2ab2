// The way between one device and the edge, as real connections that can be cut, or left without an answer.
import { createServer, request as ask } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** `cut`: nothing comes through. `mute`: requests come through, no answer ever does. */
export type Way = 'whole' | 'cut' | 'mute'

export interface Network extends AsyncDisposable {
  readonly url: string
  set(way: Way): void
  /** Resolves when the edge has answered a request of sync whose answer is held back. */
  swallowed(): Promise<void>
  /** Requests of sync that carried ops, as they went out. */
  readonly pushes: readonly string[]
}

/** `hasLines`: lines to the mirror come through too. */
export async function openNetwork(edgeUrl: string, hasLines = false): Promise<Network> {
  let way: Way = 'whole'
  const pushes: string[] = []
  const sockets = new Set<Socket>()
  let waiting: (() => void)[] = []
  const server = createServer((incoming, outgoing) => {
    if (way === 'cut') return void incoming.socket.destroy()
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const body = Buffer.concat(parts)
      const isPush = incoming.method === 'POST' && /"ops":\[\{/.test(body.toString())
      if (isPush) pushes.push(body.toString())
      const isMuted = way === 'mute' && incoming.method === 'POST'
      const onward = ask(
        new URL(incoming.url ?? '/', edgeUrl),
        { method: incoming.method ?? 'GET', headers: { ...incoming.headers, host: new URL(edgeUrl).host } },
        (answer) => {
          if (!isMuted) {
            outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
            answer.pipe(outgoing)
            return
          }
          answer.resume().on('end', () => {
            for (const tell of isPush ? waiting.splice(0) : []) tell()
          })
        },
      )
      onward.on('error', () => outgoing.destroy())
      onward.end(body)
    })
  })
  if (hasLines) {
    server.on('upgrade', (incoming, socket: Socket, first: Buffer) => {
      if (way === 'cut') return void socket.destroy()
      const { hostname, port, host } = new URL(edgeUrl)
      const onward = connect(Number(port), hostname)
      const lines = [`GET ${incoming.url} HTTP/1.1`]
      for (const [name, value] of Object.entries({ ...incoming.headers, host }))
        lines.push(`${name}: ${String(value)}`)
      onward.write(`${lines.join('\r\n')}\r\n\r\n`)
      onward.write(first)
      onward.pipe(socket).pipe(onward)
      for (const end of [socket, onward]) end.on('error', () => undefined)
      socket.once('close', () => onward.destroy())
      onward.once('close', () => socket.destroy())
    })
  }
  server.on('connection', (socket) => {
    // What was sent before the way was whole again is lost, read so far or not.
    if (way === 'cut') return void socket.destroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    pushes,
    set(next) {
      way = next
      if (next === 'cut') for (const socket of sockets) socket.destroy()
    },
    swallowed: () => new Promise((resolve) => waiting.push(resolve)),
    async [Symbol.asyncDispose]() {
      waiting = []
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
