// Stands before a server of S3 and lets requests through, signatures and all, but for those that a test has something else in
// mind for: an answer of its own, a connection that is cut before or after the server has done its work.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly method: string
  /** Path and query. */
  readonly url: string
}

export type Fault =
  | {
      readonly status: number
      readonly code?: string
      readonly body?: string
      readonly headers?: Record<string, string>
      /** The server has done its work, and this is said in place of its answer. */
      readonly isLate?: boolean
    }
  /** Cut before the server hears of it, after it has answered, or in the middle of its answer. */
  | { readonly cut: 'before' | 'after' | 'within' }

export interface FailingS3 {
  readonly url: string
  /** Every request so far. */
  readonly asked: Asked[]
  /** What happens to requests; undefined lets one through. In place of what was said before. */
  plan(fault: (asked: Asked) => Fault | undefined): void
  close(): Promise<void>
}

/** An error as S3 words it, with a message that nobody should repeat. */
export const errorBody = (code: string, more = '') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>StringToSign AKIA &amp; more</Message>${more}</Error>`

export async function startFailingS3(target: string): Promise<FailingS3> {
  const asked: Asked[] = []
  let faultOf: (one: Asked) => Fault | undefined = () => undefined
  const server = createServer((incoming, outgoing) => {
    const one = { method: incoming.method ?? '', url: incoming.url ?? '' }
    asked.push(one)
    const fault = faultOf(one)
    if (fault && 'status' in fault && !fault.isLate) return answer(incoming, outgoing, fault)
    if (fault && 'cut' in fault && fault.cut === 'before') return incoming.socket.destroy()
    passOn(incoming, outgoing, new URL(target), fault)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { pathname } = new URL(target)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    asked,
    plan(fault) {
      asked.length = 0
      faultOf = fault
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, code, body, headers = {} }: Extract<Fault, { status: number }>,
): void {
  const say = () => {
    outgoing.writeHead(status, { 'content-type': 'application/xml', ...headers })
    outgoing.end(body ?? (code === undefined ? '' : errorBody(code)))
  }
  if (incoming.readableEnded) return say()
  incoming.resume()
  incoming.once('end', say)
}

function passOn(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { hostname, port }: URL,
  fault: Fault | undefined,
): void {
  const { url: path, method, headers } = incoming
  const cut = fault && 'cut' in fault ? fault.cut : undefined
  const onward = request({ hostname, port, path, method, headers }, (found) => {
    if (cut === 'after') {
      found.resume()
      found.once('end', () => incoming.socket.destroy())
      return
    }
    if (fault && 'status' in fault) {
      found.resume()
      return answer(incoming, outgoing, fault)
    }
    outgoing.writeHead(found.statusCode ?? 500, found.headers)
    if (cut === 'within')
      found.once('data', (chunk: Uint8Array) =>
        outgoing.write(chunk.subarray(0, 9), () => incoming.socket.destroy()),
      )
    else found.pipe(outgoing)
  })
  onward.on('error', () => incoming.socket.destroy())
  incoming.pipe(onward)
}
