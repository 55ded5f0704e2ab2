// `POST /embed` in Node: a server for an embedder, for books of this machine or a network.
// Invariant: without a key it answers only requests to a name of this machine that came through no proxy. A
// page of another origin can't call it.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAbort } from '../../../core/abort.ts'
import {
  checkKeyLength,
  hostInUrl,
  isOwnMachine,
  isOwnName,
  isForwarded,
  timingSafeEqual,
} from '../../../core/address.ts'
import { DaybookError, errorTable, toDaybookError, invalidInput } from '../../../core/errors.ts'
import { anyOption, numberOption, optionsOf, textOption } from '../../../core/option-check.ts'
import { createModelEmbedder } from '../../../recall/embed/create-embedder.ts'
import { answerEmbed } from '../../../recall/embed/embed-capability.ts'
import {
  type ActiveEmbedderOptions,
  embedderOption,
  type LsaOptions,
} from '../../../recall/embed/embedder-options.ts'
import { nodeEmbedderHost } from '../model/node-embedder.ts'
import { listen } from '../port/listen.ts'
import { createLimitedServer, drainRequest } from '../port/limited-server.ts'
import { usualLimits } from '../port/server-limits.ts'
import { nodePorts } from '../port/node-ports.ts'

export interface ServeEmbedOptions {
  readonly embedder: Exclude<ActiveEmbedderOptions, LsaOptions>
  /** Default 8401; 0: any free port. */
  readonly port?: number
  /** Address to listen on. Default `127.0.0.1`: this machine only. Other addresses need `key`. */
  readonly host?: string
  /** The bearer token that callers must send, at least 16 characters. Default: none. */
  readonly key?: string
}

export interface EmbedServer extends AsyncDisposable {
  readonly url: string
  close(): Promise<void>
}

const bodyLimitBytes = 4_000_000

const checkOptions = optionsOf<ServeEmbedOptions>(
  { embedder: embedderOption, port: numberOption(0, 65_535), host: textOption(1000), key: anyOption },
  ['embedder'],
)

/**
 * Serves `POST /embed {texts}` → `{ embeddings, dimensions }`, and `GET /health`. Rejects with
 * `invalid-input` for wrong options, or with Node's error if the port is in use.
 */
export async function serveEmbed(serveOptions: ServeEmbedOptions): Promise<EmbedServer> {
  checkOptions(serveOptions, '')
  const { embedder: options, port = 8401, host = '127.0.0.1', key } = serveOptions
  if (!isOwnName(hostInUrl(host)) && !key) {
    throw new DaybookError('invalid-input', '`key` is required to serve other machines.', {
      details: { path: 'key' },
    })
  }
  if (key !== undefined) checkKeyLength(key, 'key')
  const embedder = createModelEmbedder(options, nodeEmbedderHost)

  const answer = async (request: IncomingMessage, signal: ReturnType<typeof createAbort>['signal']) => {
    const path = (request.url ?? '').split('?')[0]
    if (path === '/health' && request.method === 'GET') return { ok: true, model: embedder.model }
    if (path !== '/embed') throw new DaybookError('unknown-route')
    if (request.method !== 'POST')
      throw new DaybookError('wrong-method', undefined, { details: { allow: ['POST'] } })
    if (
      key === undefined
        ? !isFromHere(request)
        : !timingSafeEqual(request.headers.authorization ?? '', `Bearer ${key}`)
    )
      throw new DaybookError('unauthorized')
    return answerEmbed(embedder, await readJson(request), signal)
  }

  const server = createLimitedServer(usualLimits, (request, response) => {
    const closed = createAbort()
    response.on('close', () => closed.abort())
    answer(request, closed.signal).then(
      (body) => send(request, response, { status: 200, body }),
      (thrown: unknown) => {
        const error = toDaybookError(thrown)
        if (error.code === 'internal')
          nodePorts.log.warn('The embedding server failed.', { code: error.code })
        const shown = error.code === 'internal' ? new DaybookError('internal') : error
        return send(request, response, { status: errorTable[shown.code].status, body: shown.toJSON() })
      },
    )
  })
  await listen(server, port, host)
  const close = async () => {
    embedder.close()
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  const { port: boundPort } = server.address() as AddressInfo
  return { url: `http://${hostInUrl(host)}:${boundPort}/embed`, close, [Symbol.asyncDispose]: close }
}

/**
 * Reads a JSON body. Requires the type `application/json`, which a page of another origin can't send without
 * a preflight request.
 */
async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw invalidInput('content-type', 'Must be `application/json`')
  const chunks: Buffer[] = []
  let size = 0
  // Don't destroy the request: the answer to a body that is too large uses the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bodyLimitBytes) {
      const details = { limitBytes: bodyLimitBytes }
      throw new DaybookError('too-large', `The body is larger than ${bodyLimitBytes} bytes.`, { details })
    }
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw invalidInput('body', 'The body is not JSON')
  }
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: { readonly status: number; readonly body: unknown },
): Promise<void> {
  const isRead = await drainRequest(request)
  if (response.destroyed) return
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    ...(isRead ? {} : { connection: 'close' }),
  })
  response.end(JSON.stringify(body))
}

/**
 * Whether the request names this machine as its host and came through no proxy. This refuses DNS rebinding: a
 * page that points its own name to this machine sends its own name as the host.
 */
function isFromHere({ headers, httpVersion }: IncomingMessage): boolean {
  return (
    isOwnMachine(`http://${headers.host ?? ''}`) &&
    // Only proxies use HTTP/1.0 today.
    httpVersion !== '1.0' &&
    !isForwarded(Object.keys(headers))
  )
}
