// WebSockets on the Node server: an upgrade is asked of the same app as any other request, and is made once that agrees.
// Invariant: a socket is upgraded by nobody but the app's own route, and what that refuses is answered as over HTTP.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { frameLimits, liveProtocols } from '../../../sync/wire/live-wire.ts'

/** So long somebody who was refused may take to say goodbye. */
const goodbyeMs = 1000

/** Gives the socket of a request that the app lets through; it is paused until somebody hears it. */
export type Upgrade = () => Promise<WebSocket>

/** True for what is to be a WebSocket; anything else that wants an upgrade is answered as if it did not. */
export function wantsWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Asks `answer` about each upgrade; the socket is upgraded while it answers, or not at all. */
export function answerUpgrades(
  server: Server,
  answer: (request: Request, incoming: IncomingMessage, upgrade: Upgrade) => Promise<Response>,
): void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: frameLimits.bytes,
    // In how many pieces a frame may come: each takes memory until the last is there.
    maxFragments: 64,
    maxBufferedChunks: 1024,
    // Its line answers a ping, as that counts the frames of its caller.
    autoPong: false,
    handleProtocols: (offered) => liveProtocols.find((one) => offered.has(one)) ?? false,
  })
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    let isUpgraded = false
    const upgrade: Upgrade = () =>
      new Promise((resolve, reject) => {
        isUpgraded = true
        // What is no proper handshake is answered by the library, which then ends it.
        socket.once('close', () => reject(new Error('The socket was closed.')))
        sockets.handleUpgrade(incoming, socket, head, (upgraded) => {
          // At once: a fault that nobody listens for would end the process.
          upgraded.on('error', () => undefined)
          // What it says before its line hears it waits.
          upgraded.pause()
          resolve(upgraded)
        })
      })
    void (async () => {
      const response = await answer(toRequest(incoming), incoming, upgrade)
      if (!isUpgraded) await refuse(socket, response)
    })().catch(() => socket.destroy())
  })
}

/** What the app answers when a socket was upgraded: it can't be made by hand, for it has no body and no headers to send. */
export function switchedProtocols(): Response {
  return Object.defineProperty(new Response(null), 'status', { value: 101 })
}

function toRequest({ url = '/', headers: given }: IncomingMessage): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  // Put together and not resolved: a path that begins with `//` names no host.
  return new Request(url.startsWith('/') ? `http://${given.host ?? ''}${url}` : url, { headers })
}

async function refuse(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer())
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  const lines = [
    `HTTP/1.1 ${response.status} ${response.statusText}`,
    ...headers,
    `content-length: ${body.byteLength}`,
    'connection: close',
  ]
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]))
  // A client that does not end its own half keeps no connection open.
  setTimeout(() => socket.destroy(), goodbyeMs).unref()
}
