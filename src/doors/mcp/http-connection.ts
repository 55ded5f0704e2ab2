// The agent name of a connection over HTTP, where each request is answered on its own: `?agent=` in the address, the
// session that `initialize` began, or the client's name in the request says it.
// Invariant: a name gives no right; a guest's agent is that of its key, whatever the name.
import { toHex } from '../../core/ids.ts'
import { clientName, hostAgentName } from './agent-name.ts'
import type { MessageReader } from './mcp-http.ts'

export const sessionHeader = 'mcp-session-id'

export interface HttpConnection {
  /** Undefined: the client gave no name. */
  readonly agent: string | undefined
  /** The session that this request begins, for its answer. */
  readonly session?: string
}

/** Leaves room for the random end of a session's name. */
const maxClientLength = 40

export async function httpConnectionOf(request: Request, read: MessageReader): Promise<HttpConnection> {
  const presented = presentedAgent(request)
  if (presented !== undefined) return { agent: presented }
  const { method, params } = await read()
  const client = clientName(params)
  if (client === undefined) return { agent: undefined }
  const agent = hostAgentName(undefined, client)
  if (method !== 'initialize') return { agent }
  // Two windows of one client are two agents.
  const random = toHex(crypto.getRandomValues(new Uint8Array(4)))
  const session = `${agent.slice(0, maxClientLength)}-${random}`
  return { agent: session, session }
}

/** The agent that the address or the session names. */
export function presentedAgent({ url, headers }: Pick<Request, 'url' | 'headers'>): string | undefined {
  const name = new URL(url).searchParams.get('agent') ?? headers.get(sessionHeader)
  return name === null || name === '' ? undefined : hostAgentName(undefined, name)
}
