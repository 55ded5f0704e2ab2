// Messages over HTTP: `POST /capabilities/:id`, as an edge and `daybook serve` answer it.
import type { AbortSignalLike } from '../../core/abort.ts'
import { DaybookError, type ErrorShape } from '../../core/errors.ts'
import { type AgentReply, type AgentTransport, broken, replyOf } from './transport.ts'

export interface HttpWay {
  readonly url: string
  readonly key?: string | undefined
  readonly book?: string | undefined
}

export function createHttpTransport({ url, key, book }: HttpWay): AgentTransport {
  const base = url.replace(/\/+$/, '')
  const ask = async (path: string, init: RequestInit, signal: AbortSignalLike) => {
    const ending = new AbortController()
    const end = () => ending.abort(signal.reason)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    try {
      const response = await fetch(`${base}${path}`, { ...init, signal: ending.signal })
      return { status: response.status, value: readJson(await response.text()) }
    } catch (cause) {
      if (signal.aborted) throw new DaybookError('aborted', undefined, { cause })
      throw broken('http', cause)
    } finally {
      signal.removeEventListener('abort', end)
    }
  }
  return {
    type: 'http',
    async send({ id, capability, content, source }, signal): Promise<AgentReply> {
      const headers = {
        'content-type': 'application/json',
        'x-p3394-message-id': id,
        'x-p3394-source': source,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(book === undefined ? {} : { 'x-daybook-book': book }),
      }
      const body = JSON.stringify({ message_id: id, source: { agent_id: source }, content })
      const path = `/capabilities/${encodeURIComponent(capability).replaceAll('%3A', ':')}`
      const { status, value } = await ask(path, { method: 'POST', headers, body }, signal)
      if (status < 300) return { ok: true, data: value }
      if (isError(value)) return replyOf(DaybookError.from(value))
      throw broken('http', new Error(`${base} answered ${status}`))
    },
    async beat(signal) {
      const { status } = await ask('/health', {}, signal)
      if (status >= 300) throw broken('http', new Error(`${base} answered ${status}`))
    },
    close: () => undefined,
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const isError = (value: unknown): value is ErrorShape =>
  typeof value === 'object' && value !== null && 'code' in value && 'message' in value
