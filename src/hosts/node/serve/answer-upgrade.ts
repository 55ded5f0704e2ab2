// WebSocket upgrades on the Node server. The app answers an upgrade like any request, and calls `upgrade` to
// accept.
// Invariant: only the app's own route upgrades a socket; a refused upgrade gets an HTTP answer.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { frameLimits, liveProtocols } from '../../../sync/wire/live-wire.ts'

/** Longest wait until a refused client closes the connection. */
const goodbyeMs = 1000

/**
 * Upgrades the socket of a request. The socket is paused: call `resume` when a listener is added. Rejects if
 * the socket closes first.
 */
export type Upgrade = () => Promise<WebSocket>

/** Whether the request is an upgrade to a WebSocket; other upgrades are ignored. */
export function wantsWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Passes each upgrade request to `answer`, which may call `upgrade` before it resolves. If it doesn't, the
 * client gets the response.
 */
export function answerUpgrades(
  server: Server,
  answer: (request: Request, incoming: IncomingMessage, upgrade: Upgrade) => Promise<Response>,
): void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: frameLimits.bytes,
    // Most fragments of a message, which use memory until the last fragment arrives.
    maxFragments: 64,
    maxBufferedChunks: 1024,
    // The live line answers pings itself, because it counts all frames of a caller.
    autoPong: false,
    handleProtocols: (offered) => liveProtocols.find((one) => offered.has(one)) ?? false,
  })
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    let isUpgraded = false
    const upgrade: Upgrade = () =>
      new Promise((resolve, reject) => {
        isUpgraded = true
        // For an invalid handshake the library sends an error and closes the socket.
        socket.once('close', () => reject(new Error('The socket was closed.')))
        sockets.handleUpgrade(incoming, socket, head, (upgraded) => {
          // Add this listener at once: an error without a listener ends the process.
          upgraded.on('error', () => undefined)
          // Messages wait until the live line listens.
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

/**
 * The app's answer after an upgrade. The constructor of `Response` rejects status 101, so the property is
 * redefined.
 */
export function switchedProtocols(): Response {
  return Object.defineProperty(new Response(null), 'status', { value: 101 })
}

function toRequest({ url = '/', headers: incoming }: IncomingMessage): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  // Concatenate, don't resolve: a path that begins with `//` would be resolved to another host.
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
  // Close the socket even if the client doesn't end its side.
  setTimeout(() => socket.destroy(), goodbyeMs).unref()
}
