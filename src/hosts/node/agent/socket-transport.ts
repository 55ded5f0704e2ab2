// Sends messages over a Unix socket: to the owner process of a book, or to another agent that uses P3394 in
// these frames.
import { connect } from 'node:net'
import { type AbortSignalLike, orAborted } from '../../../core/abort.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import { DaybookError, type ErrorShape } from '../../../core/errors.ts'
import {
  type AgentReply,
  type AgentRequest,
  type AgentTransport,
  transportError,
  errorOfMessage,
  toReply,
} from '../../../doors/p3394/transport.ts'
import { FrameLine } from '../socket/frame-line.ts'

export interface SocketWay {
  /**
   * The socket path. A function is called for each connection, because the next owner of a book may listen at
   * another path; it returns undefined if no process owns the book.
   */
  readonly path: string | (() => string | undefined)
  /** A token of the book; messages run with the token's rights. Default: the rights of the book's owner. */
  readonly token?: string | undefined
}

/** A connection without a first answer for this time is cut. Longer than a slow call, which its `signal` limits. */
const timeouts = { firstMs: 600_000 }

interface OpenLine {
  readonly line: FrameLine
  /** Messages without an answer, by id: the same message may be sent twice. */
  readonly waiting: Map<string, Set<(reply: unknown) => void>>
  /** Rejects when the connection ends. */
  readonly over: Promise<never>
}

/**
 * Makes a transport over a Unix socket. It connects at the first message, and again after the connection has
 * ended.
 */
export function createSocketTransport({ path, token }: SocketWay): AgentTransport {
  let open: Promise<OpenLine> | undefined
  const opened = () => {
    const current = (open ??= openLine(typeof path === 'string' ? path : path(), token))
    const forget = () => {
      if (open === current) open = undefined
    }
    current.then(({ over }) => over.catch(forget), forget)
    return current
  }
  return {
    type: 'unix_socket',
    async send(request, signal) {
      const { line, waiting, over } = await orAborted(opened(), signal)
      const { promise: answered, resolve } = Promise.withResolvers<unknown>()
      const sameId = waiting.get(request.id) ?? new Set()
      waiting.set(request.id, sameId.add(resolve))
      // Only messages without an answer keep the process alive.
      line.hold(true)
      try {
        line.post(messageOf(request))
        return readReply(await orAborted(Promise.race([answered, over]), signal))
      } finally {
        sameId.delete(resolve)
        if (sameId.size === 0) waiting.delete(request.id)
        if (waiting.size === 0) line.hold(false)
      }
    },
    // An open connection suffices: the protocol has no message for a heartbeat.
    async beat(signal: AbortSignalLike) {
      await orAborted(opened(), signal)
    },
    async close() {
      const last = await open?.catch(() => undefined)
      last?.line.end()
    },
  }
}

async function openLine(path: string | undefined, token: string | undefined): Promise<OpenLine> {
  if (path === undefined) throw transportError('unix_socket', new Error('nobody listens'))
  const socket = connect(path)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', (cause) => reject(transportError('unix_socket', cause)))
  })
  const waiting: OpenLine['waiting'] = new Map()
  const { promise: over, reject: end } = Promise.withResolvers<never>()
  over.catch(() => undefined)
  const line = new FrameLine(socket, {
    timeouts,
    hear(message) {
      if (!isJsonObject(message)) return
      const { reply_to, error } = message
      // An error of the whole connection, such as an invalid token.
      if (isJsonObject(error)) end(DaybookError.from(error as unknown as ErrorShape))
      else if (typeof reply_to === 'string') {
        // One answer for each message, in their order.
        const [first] = waiting.get(reply_to) ?? []
        if (!first) return
        waiting.get(reply_to)?.delete(first)
        first(message)
      }
    },
    closed: () => end(transportError('unix_socket', new Error('the connection has ended'))),
  })
  // The answering side of a book: socket/agent-line.ts.
  if (token !== undefined) line.post({ t: 'auth', token })
  return { line, waiting, over }
}

const messageOf = ({ id, agent, capability, content, source }: AgentRequest) => ({
  id,
  type: 'request',
  source: { agent_id: source },
  destination: { agent_id: agent, capability_id: capability },
  content: [{ type: 'json', data: content }],
})

/** Reads an answer: AnswerMessage in doors/p3394/message.ts. */
function readReply(message: unknown): AgentReply {
  const { type, content } = message as {
    readonly type: string
    readonly content: readonly [{ readonly data: unknown }]
  }
  const { data } = content[0]
  if (type === 'response') return { ok: true, data }
  return toReply(errorOfMessage(data as ErrorShape))
}
