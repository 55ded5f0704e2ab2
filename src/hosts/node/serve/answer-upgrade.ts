// WebSocket upgrades on the Node server. The app answers an upgrade like any request, and upgrades the socket
// if it agrees.
// Invariant: only the app's own route upgrades a socket; a refusal is answered as over HTTP.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { frameLimits, liveProtocols } from '../../../sync/wire/live-wire.ts'

/** Longest wait for a refused client to close. */
const goodbyeMs = 1000

/** Upgrades the socket of a request that the app accepts; it is paused until somebody listens. */
export type Upgrade = () => Promise<WebSocket>

/** Whether the request wants a WebSocket; other upgrades are ignored. */
export function wantsWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Passes each upgrade to `answer`; the socket is upgraded while it answers, or not at all. */
export function answerUpgrades(
  server: Server,
  answer: (request: Request, incoming: IncomingMessage, upgrade: Upgrade) => Promise<Response>,
): void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: frameLimits.bytes,
    // Limit of fragments of a frame, which take memory until the last arrives.
    maxFragments: 64,
    maxBufferedChunks: 1024,
    // The line answers pings itself, to count its caller's frames.
    autoPong: false,
    handleProtocols: (offered) => liveProtocols.find((one) => offered.has(one)) ?? false,
  })
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    let isUpgraded = false
    const upgrade: Upgrade = () =>
      new Promise((resolve, reject) => {
        isUpgraded = true
        // The library answers an invalid handshake and closes the socket.
        socket.once('close', () => reject(new Error('The socket was closed.')))
        sockets.handleUpgrade(incoming, socket, head, (upgraded) => {
          // At once: an error without a listener would end the process.
          upgraded.on('error', () => undefined)
          // Messages wait until the line listens.
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

/** The app's answer after an upgrade. `Response` doesn't allow status 101, so it is set by force. */
export function switchedProtocols(): Response {
  return Object.defineProperty(new Response(null), 'status', { value: 101 })
}

function toRequest({ url = '/', headers: incoming }: IncomingMessage): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  // Concatenated, not resolved: a path that begins with `//` names no host.
  return new Request(url.startsWith('/') ? `http://${incoming.host ?? ''}${url}` : url, { headers })
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
  // Close even if the client doesn't end its half.
  setTimeout(() => socket.destroy(), goodbyeMs).unref()
}
