// Serves MCP over stdin and stdout until stdin ends.
// Invariant: every request that was read before the end of stdin is answered, unless that takes too long.
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { McpServer } from '@modelcontextprotocol/server'
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { requestedRevision, clientName } from '../../../doors/mcp/agent-name.ts'

/** Longest wait for the last answers after the end of stdin. */
const lastAnswersMs = 60_000

/** `era`, `revision`: see `McpServerOptions` (doors/mcp/mcp-server.ts). `client`: the name that the client gives itself. */
export interface McpOpening {
  readonly era: 'legacy' | 'modern'
  readonly client: string | undefined
  readonly revision: string | undefined
}

interface McpStdioOptions {
  /** Makes the server at the first message. */
  create(opening: McpOpening): Promise<McpServer>
  onError(error: Error): void
  readonly signal: AbortSignal
}

/**
 * Resolves when stdin has ended and the requests are answered, or when `signal` aborts. Rejects when `create` rejects.
 */
export async function serveMcpStdio({ create, onError, signal }: McpStdioOptions): Promise<void> {
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const { stdin, stdout } = process
  // The transport must not see the end of stdin: it would answer nothing more.
  const input = new PassThrough()
  const transport = new StdioServerTransport(input, stdout)
  const failed = Promise.withResolvers<never>()
  // It may reject when nobody waits any more.
  failed.promise.catch(() => undefined)
  let hasFailed = false
  const createNamed = async ({ era }: Pick<McpOpening, 'era'>) => {
    try {
      return await create({ era, ...requests.opening() })
    } catch (error) {
      hasFailed = true
      failed.reject(error as Error)
      throw error
    }
  }
  // The error of `create` is the caller's to print, once.
  const handle = serveStdio(createNamed, { transport, onerror: (error) => hasFailed || onError(error) })
  const requests = watchRequests(transport)
  const served = new Promise<void>((resolve) => {
    stdin.once('close', resolve)
    stdin.once('end', resolve)
    stdin.on('error', onError).pipe(input, { end: false })
    void requests.closed.then(resolve)
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  try {
    await Promise.race([served, failed.promise])
    // The last piece may be on its way through `input`.
    await setImmediate()
    if (!signal.aborted)
      await Promise.race([requests.answered(), requests.closed, ending(signal), failed.promise])
  } finally {
    await handle.close()
    // An open stdin would keep the process alive.
    stdin.destroy()
  }
}

/** Resolves when `signal` aborts, or after `lastAnswersMs`. */
const ending = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, lastAnswersMs).unref()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Watches the requests of a transport that has started. `closed` resolves when it is closed. */
function watchRequests(transport: StdioServerTransport) {
  /** Ids of requests without an answer. */
  const open = new Set<unknown>()
  const closed = Promise.withResolvers<void>()
  let client: string | undefined
  let revision: string | undefined
  let changed = (): void => undefined
  const settle = (id: unknown) => {
    open.delete(id)
    changed()
  }
  const { onmessage, onclose } = transport
  const send = transport.send.bind(transport)
  transport.onmessage = (message) => {
    if ('method' in message) {
      client ??= clientName(message.params)
      revision ??= requestedRevision(message.params)
    }
    // A subscription is answered at its end.
    if ('method' in message && 'id' in message && message.method !== 'subscriptions/listen')
      open.add(message.id)
    onmessage?.(message)
    // A cancelled request has no answer.
    if ('method' in message && message.method === 'notifications/cancelled')
      settle(message.params?.['requestId'])
  }
  transport.send = async (message) => {
    try {
      await send(message)
    } finally {
      if (!('method' in message)) settle(message.id)
    }
  }
  transport.onclose = () => {
    closed.resolve()
    onclose?.()
  }
  return {
    closed: closed.promise,
    opening: () => ({ client, revision }),
    answered: () =>
      new Promise<void>((resolve) => {
        changed = () => {
          if (open.size === 0) resolve()
        }
        changed()
      }),
  }
}
