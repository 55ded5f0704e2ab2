// A request as it stands on the wire: `fetch` and the clients of every language tidy an address up before they send it.
import { connect } from 'node:net'

export interface RawRequest {
  readonly method?: string
  /** The request target, byte for byte (as Latin-1). */
  readonly target: string
  readonly key?: string | null
  /** Stand in place of the usual ones, `host` included. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly version?: '1.0' | '1.1'
}

/** Sends it to a port of this machine; answers the status and the whole answer as text, or status 0 when none came. */
export function askRaw(
  port: number,
  { method = 'POST', target, key, headers, body, version = '1.1' }: RawRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const content = body === undefined ? '' : JSON.stringify(body)
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    ...(key === null || key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(content)) }),
    connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part
      if (isWhole(text)) socket.destroy()
    })
    // A server may close on nonsense before it was read: what it said counts.
    socket.on('error', () => undefined)
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.\d (\d{3})/.exec(text)?.[1] ?? 0), text }))
    socket.write(`${method} ${target} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1')
    socket.write(content)
  })
}

/** True when all that was announced has come, or the line stands; who announces nothing closes. */
function isWhole(text: string): boolean {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  if (head.startsWith('HTTP/1.1 101 ')) return rest.length > 0
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  return length !== undefined && rest.join('\r\n\r\n').length >= Number(length)
}
