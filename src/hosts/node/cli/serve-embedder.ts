// `daybook embed`: an embedder for hosts and other memories, over MCP (stdin and stdout) and `POST /embed`.
// Invariant: it stores nothing; only programs of this machine reach it, and no page.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isOwnName } from '../../../core/address.ts'
import { DaybookError, invalidInput, isDaybookError, toDaybookError } from '../../../core/errors.ts'
import type { Daybook } from '../../../book/daybook.ts'
import { product } from '../../../bundle/format/product.ts'
import { loadMcp } from '../../../doors/mcp/mcp-book.ts'
import { createMcpServer } from '../../../doors/mcp/mcp-server.ts'
import { type Command, numberOf, textOf, UsageError } from './command.ts'
import { embedderChoice, embedderHelp, embedderOption } from './embedder-choice.ts'
import { serveMcpStdio } from './mcp-stdio.ts'

const host = '127.0.0.1'
const usualPort = 8401
/** Maximum bytes of a request: more than the texts of one batch have. */
const maxBodyBytes = 16_777_216

export const serveEmbedder: Command = {
  name: 'embed',
  summary: 'Serves an embedder over MCP (stdin and stdout) and as POST /embed on this machine.',
  operands: '',
  options: { ...embedderOption, port: { type: 'string' } },
  help: {
    ...embedderHelp,
    port: `<n>       port of POST /embed, default ${usualPort} (or $EMBEDDING_HTTP_PORT); 0 for any free port`,
  },
  async run({ values, terminal, signal, open }) {
    const { env } = process
    const { provider } = embedderChoice(textOf(values, 'embedder'), env) ?? { provider: 'meaning' }
    if (provider === 'none' || provider === 'lsa')
      throw new UsageError(`\`${provider}\` embeds no texts; choose another --embedder`)
    const port =
      numberOf(values, 'port', 0, 65_535) ??
      numberOf({ EMBEDDING_HTTP_PORT: env['EMBEDDING_HTTP_PORT'] }, 'EMBEDDING_HTTP_PORT', 0, 65_535)
    const book = await open({ file: ':memory:', vectors: true })
    const server = await listen(book, port ?? usualPort)
    try {
      const { port: opened } = server.address() as AddressInfo
      terminal.note(`Embedding at http://${host}:${opened}/embed`)
      const hadClient = await serveTools(book, signal, (text) => terminal.note(text))
      // Without a host on stdin, as a service of the system, it serves until it is stopped.
      if (!hadClient && !signal.aborted)
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        )
    } finally {
      server.close()
      server.closeAllConnections()
    }
  },
}

/** Serves the tools `embed` and `embed_batch` until stdin ends. Resolves to true if a client sent a message. */
async function serveTools(
  book: Daybook,
  signal: AbortSignal,
  note: (text: string) => void,
): Promise<boolean> {
  const mcp = await loadMcp()
  let hadClient = false
  await serveMcpStdio({
    create({ era }) {
      hadClient = true
      return Promise.resolve(
        createMcpServer({
          mcp,
          era,
          sets: ['embedding'],
          version: product.version,
          book: {
            place: 'device',
            now: () => Date.now(),
            call: (id, input, { onProgress: _onProgress, ...options } = {}) => book.call(id, input, options),
          },
        }),
      )
    },
    onError: ({ message }) => note(message.replaceAll(/\s+/g, ' ').slice(0, 500)),
    signal,
  })
  return hadClient
}

async function listen(book: Daybook, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    void answer(book, request)
      .catch((error: unknown): Answered => {
        const failure = toDaybookError(error)
        const { status } = statusOf(failure)
        return [
          status,
          (isDaybookError(failure, 'internal') ? new DaybookError('internal') : failure).toJSON(),
        ]
      })
      .then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return server
}

type Answered = readonly [status: number, body: unknown]

const statusOf = ({ code }: DaybookError) => ({
  status: code === 'invalid-input' ? 400 : code === 'forbidden' ? 403 : code === 'too-large' ? 413 : 503,
})

async function answer(book: Daybook, request: IncomingMessage): Promise<Answered> {
  const { headers, method, url = '/' } = request
  // A page of a foreign name that resolves to this machine, or of any origin, is refused.
  if (!isOwnName((headers.host ?? '').replace(/:\d*$/, '')) || headers.origin !== undefined)
    throw new DaybookError('forbidden', 'Only programs of this machine may call.')
  if (method === 'GET' && url === '/health') return [200, { ok: true }]
  if (method !== 'POST' || url !== '/embed')
    return [404, { code: 'not-found', message: 'There is POST /embed.' }]
  return [200, await book.call('embed:texts', await readJson(request))]
}

async function readJson(request: IncomingMessage): Promise<never> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > maxBodyBytes)
      throw new DaybookError('too-large', `The request has more than ${maxBodyBytes} bytes.`)
    pieces.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString()) as never
  } catch {
    throw invalidInput('body', 'It is not JSON')
  }
}
