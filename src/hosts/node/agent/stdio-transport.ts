// Sends messages to an MCP server that this process starts: a capability becomes the call of a tool
// (`kstar:store_trace` calls `mcp__kstar__store_trace`), and the message's id becomes `daybook/request-id`.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type AbortSignalLike, orAborted } from '../../../core/abort.ts'
import { isJsonObject } from '../../../core/json/path.ts'
import { DaybookError, type ErrorShape } from '../../../core/errors.ts'
import { findSeedShape } from '../../../doors/seed-shape/seed-shape.ts'
import {
  type AgentReply,
  type AgentTransport,
  transportError,
  errorOfMessage,
  toReply,
} from '../../../doors/p3394/transport.ts'
import { product } from '../../../bundle/format/product.ts'

/**
 * The command that starts the server. `env`: all environment variables of the server; default: the variables
 * of this process.
 */
export interface StdioWay {
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
}

interface Server {
  readonly child: ChildProcess
  /** Resolves once the server has answered `initialize`. */
  readonly ready: Promise<void>
  /** Sends a JSON-RPC request; rejects if the server ends before it answers. */
  ask(method: string, params: object): Promise<unknown>
}

/**
 * Makes a transport to an MCP server. It starts the server at the first message, and again after the server
 * has ended.
 */
export function createStdioTransport(way: StdioWay): AgentTransport {
  let started: Server | undefined
  const startServer = () => {
    const server = start(way)
    const forget = () => {
      if (started === server) started = undefined
    }
    server.child.once('exit', forget)
    server.ready.catch(forget)
    return server
  }
  const readyServer = async (signal: AbortSignalLike) => {
    const server = (started ??= startServer())
    await orAborted(server.ready, signal)
    return server
  }
  return {
    type: 'mcp_stdio',
    async send({ id, capability, content }, signal): Promise<AgentReply> {
      const { ask } = await readyServer(signal)
      const params = {
        name: toolOf(capability),
        arguments: content,
        _meta: { 'daybook/request-id': id },
      }
      return readResult(await orAborted(ask('tools/call', params), signal))
    },
    async beat(signal: AbortSignalLike) {
      const { ask } = await readyServer(signal)
      await orAborted(ask('ping', {}), signal)
    },
    // The server may never have answered: end it at once. Waiting calls reject when it ends.
    close() {
      started?.child.stdin?.end()
      started?.child.kill()
      return Promise.resolve()
    },
  }
}

/** The tool's name for a capability: that of the MCP shape if it has one, else the id. */
function toolOf(capability: string): string {
  return findSeedShape(capability)?.names.find((name) => name.startsWith('mcp__')) ?? capability
}

function start({ command, args = [], env = process.env }: StdioWay): Server {
  const child = spawn(command, [...args], { stdio: ['pipe', 'pipe', 'inherit'], env })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const fail = (cause: unknown) => {
    for (const { reject } of waiting.values()) reject(transportError('mcp_stdio', cause))
    waiting.clear()
  }
  child.once('error', fail)
  child.once('exit', () => fail(new Error('the server has ended')))
  child.stdin.on('error', fail)
  let last = 0
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message: unknown = readJson(line)
    if (!isJsonObject(message) || typeof message['id'] !== 'number') return
    const one = waiting.get(message['id'])
    waiting.delete(message['id'])
    const { error, result } = message
    // A protocol error: the tool has not started, so another transport may be tried.
    if (isJsonObject(error)) one?.reject(transportError('mcp_stdio', new Error(String(error['message']))))
    else one?.resolve(result)
  })
  const ask = (method: string, params: object) => {
    last += 1
    const answer = Promise.withResolvers<unknown>()
    if (child.exitCode !== null || child.signalCode !== null) fail(new Error('the server has ended'))
    waiting.set(last, answer)
    send({ id: last, method, params })
    return answer.promise
  }
  const clientInfo = { name: product.type, version: product.version }
  const ready = ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }).then(
    () => {
      send({ method: 'notifications/initialized' })
    },
  )
  return { child, ready, ask }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Reads the result of `tools/call` (MCP). */
function readResult(result: unknown): AgentReply {
  const { isError, structuredContent, content } = result as {
    readonly isError?: boolean
    readonly structuredContent?: unknown
    readonly content?: readonly { readonly text?: string }[]
  }
  const text = content?.[0]?.text ?? ''
  if (isError !== true) return { ok: true, data: plain(structuredContent) ?? readJson(text) ?? text }
  const error = structuredContent ?? readJson(text)
  if (isJsonObject(error) && typeof error['code'] === 'string')
    return toReply(errorOfMessage(error as unknown as ErrorShape))
  return { ok: false, error: new DaybookError('invalid-input', text) }
}

/** Unwraps a value that is no object, which MCP servers send as `{ result: value }`. */
function plain(value: unknown): unknown {
  const isWrapped = isJsonObject(value) && 'result' in value && Object.keys(value).length === 1
  return isWrapped ? value['result'] : value
}
