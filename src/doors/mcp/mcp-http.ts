// MCP over Streamable HTTP, on any host that has `fetch`. Invariant: no page of another origin, and no name that was made to
// point at this machine, reaches a server; what a request may do is decided before, by whoever hands its book over.
import type { McpServerFactory, ServerEventBus } from '@modelcontextprotocol/server'
import { isOwnName } from '../../core/address.ts'
import type { Mcp } from './load-mcp.ts'

export interface McpGuards {
  /** True where only this machine is to be asked: then only its own names will do as `Host`. */
  readonly isOwnMachine: boolean
  /** True for an origin whose pages may call. */
  isAllowedOrigin(origin: string): boolean
}

/** Most bytes of a request. */
export const mcpBodyLimit = 4_194_304

export interface McpAnswering {
  readonly mcp: Mcp
  readonly guards: McpGuards
  /** Makes the server that answers. */
  readonly factory: McpServerFactory
  /** Over which servers tell those who listen, where there is something to tell. */
  readonly bus?: ServerEventBus
}

/** Answers one request. */
export async function answerMcp(
  request: Request,
  { mcp, guards, factory, bus }: McpAnswering,
): Promise<Response> {
  const refused = refusal(request, guards)
  if (refused) return refused
  const options = { maxRequestBodySize: mcpBodyLimit, ...(bus ? { bus } : {}) }
  return mcp.createMcpHandler(factory, options).fetch(request)
}

function refusal({ url, headers }: Request, guards: McpGuards): Response | undefined {
  const { hostname } = new URL(url)
  const host = headers.get('host')
  const names = host === null ? [hostname] : [hostname, nameOf(host)]
  if (guards.isOwnMachine && !names.every(isOwnName)) return refuse('This machine does not go by that name.')
  const origin = headers.get('origin')
  if (origin !== null && !guards.isAllowedOrigin(origin)) return refuse('Pages of this origin may not call.')
  return undefined
}

/** `Host` without its port. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '')
}

function refuse(message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status: 403 })
}
