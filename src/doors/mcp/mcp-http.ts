// MCP over Streamable HTTP, on any host with `fetch`.
// Invariant: no page of another origin, and no foreign host name that resolves to this machine, reaches a server.
// Call `answerMcp` only with an authorised request.
import { isJsonObject } from '../../core/json/path.ts'
import type { McpServerFactory, ServerEventBus } from '@modelcontextprotocol/server'
import { isOwnName } from '../../core/address.ts'
import type { Mcp } from './mcp-book.ts'
import type { DaybookError } from '../../core/errors.ts'

interface McpGuards {
  /** True: only this machine may call, so the header `Host` must contain a name of this machine. */
  readonly isOwnMachine: boolean
  /** Returns true for an origin whose pages may call. */
  isAllowedOrigin(origin: string): boolean
}

/** Maximum bytes of the body of a request. */
export const maxMcpBodyBytes = 4_194_304

interface AnswerMcpOptions {
  readonly mcp: Mcp
  readonly guards: McpGuards
  readonly factory: McpServerFactory
  /** Notifies listening clients of changed resources. Absent: no notifications. */
  readonly bus?: ServerEventBus
}

/** Answers one request. An unknown origin or host name gets status 403. */
export async function answerMcp(
  request: Request,
  { mcp, guards, factory, bus }: AnswerMcpOptions,
): Promise<Response> {
  const refused = refusalOf(request, guards)
  if (refused) return refused
  const options = { maxRequestBodySize: maxMcpBodyBytes, ...(bus ? { bus } : {}) }
  return mcp.createMcpHandler(factory, options).fetch(request)
}

function refusalOf({ url, headers }: Request, guards: McpGuards): Response | undefined {
  const { hostname } = new URL(url)
  const host = headers.get('host')
  const names = host === null ? [hostname] : [hostname, hostNameOf(host)]
  if (guards.isOwnMachine && !names.every(isOwnName))
    return forbiddenResponse('This is not a name of this machine.')
  const origin = headers.get('origin')
  if (origin !== null && !guards.isAllowedOrigin(origin))
    return forbiddenResponse('Pages of this origin may not call.')
  return undefined
}

/** Returns the name in a header `Host`, without the port. */
function hostNameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}

function forbiddenResponse(message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status: 403 })
}

/** Returns the method of a request, by its header or else its message; empty if it is no text. */
export async function methodOf({ headers }: Request, read: MessageReader): Promise<string> {
  const named = headers.get('mcp-method')
  if (named !== null) return named
  const { method } = await read()
  return typeof method === 'string' ? method : ''
}

interface McpMessage {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

/** Returns the message of a request; empty for another body. */
export type MessageReader = () => Promise<McpMessage>

/** The message is read at the first call only. Does not consume the body. */
export function createMessageReader(request: Request): MessageReader {
  let message: Promise<McpMessage> | undefined
  return () => (message ??= readMessage(request.clone()))
}

async function readMessage(request: Request): Promise<McpMessage> {
  const message: unknown = await request.json().catch(() => undefined)
  return isJsonObject(message) ? message : {}
}

/**
 * Returns `response` with a stream that ends when `onEnd` calls back. The last message is the error that answers the
 * request `id`.
 */
export function endStreamOn(
  response: Response,
  id: unknown,
  onEnd: (end: (error: DaybookError) => void) => void,
): Response {
  const reader = response.body?.getReader()
  if (!reader) return response
  let hasEnded = false
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      onEnd(({ code, message }) => {
        if (hasEnded) return
        hasEnded = true
        const lastMessage = { jsonrpc: '2.0', id, error: { code: -32_000, message, data: { code } } }
        controller.enqueue(
          new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(lastMessage)}\n\n`),
        )
        controller.close()
        void reader.cancel().catch(() => undefined)
      })
    },
    async pull(controller) {
      const { done, value } = await reader.read()
      if (hasEnded) return
      if (!done) return controller.enqueue(value)
      hasEnded = true
      controller.close()
    },
    cancel(reason) {
      hasEnded = true
      return reader.cancel(reason)
    },
  })
  return new Response(body, response)
}
