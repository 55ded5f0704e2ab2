// Requests to the edge as a caller makes them, and what the tests of it share.
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import type { ErrorCode } from '../../../src/core/errors.ts'
import { createEdge } from '../../../worker/create-edge.ts'
import type { EdgeEnv } from '../../../src/edge/edge-env.ts'

export const origin = 'http://127.0.0.1:8787'
const edge = createEdge()

export interface Call {
  readonly method?: string
  /** The bearer token; null sends none. */
  readonly key?: string | null
  readonly headers?: Record<string, string>
  /** Sent as it is when it is text or bytes, else as JSON. */
  readonly body?: unknown
  readonly env?: Partial<EdgeEnv>
}

/** One request to the edge, by default a POST of JSON with the development key. */
export async function call(
  path: string,
  { method, key = 'development', headers, body, env: own }: Call = {},
) {
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const request = new Request(path.startsWith('http') ? path : `${origin}${path}`, {
    method: method ?? 'POST',
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
  })
  return edge.fetch(request, { ...env, ...own })
}

/** Runs a capability over HTTP; answers its output or throws what came instead. */
export async function run<Output = unknown>(
  book: string,
  id: string,
  input?: unknown,
  more: Call = {},
): Promise<Output> {
  const response = await call(`/v1/books/${book}/capabilities/${id}`, { body: input, ...more })
  const answer: unknown = await response.json()
  if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(answer)}`)
  return answer as Output
}

/** Holds an answer against the one error shape. */
export async function expectError(
  response: Response,
  status: number,
  code: ErrorCode,
  path?: string,
): Promise<void> {
  const body: unknown = await response.json()
  expect({ status: response.status, body }).toMatchObject({ status, body: { code } })
  expect(body).toEqual({
    code,
    message: expect.stringMatching(/\S/),
    retry: expect.any(Boolean),
    details: path === undefined ? expect.any(Object) : expect.objectContaining({ path }),
  })
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
}

let serial = 0
/** A book that no other test uses. */
export const newBook = () => `http-${++serial}`

/** A request of a device that has nothing to say, with what a test lays over it. */
export function syncRequest(over: object = {}) {
  return {
    p: 1,
    device: 'd_http',
    epoch: null,
    ackedMid: 0,
    schema: 1,
    ops: [],
    pull: {
      cursor: 0,
      limit: 100,
      maxBytes: 5e5,
    },
    ...over,
  }
}

/** A put of a trace, as it goes over the wire. */
export function traceOp(over: object = {}) {
  const at = '2026-01-01T00:00:00.000Z'
  return {
    mid: 1,
    kind: 'trace',
    id: 'trace-1',
    op: 'put',
    base: 0,
    stamp: '019b00000000-0000-d_http',
    at,
    created_at: at,
    agent: 'tester',
    body: {
      timestamp: at,
      situation: {
        domain: 'test',
        context: {},
      },
      task: {
        goal: 'Arrive',
        constraints: [],
      },
      action: {
        type: 'travel',
        parameters: {},
        tools_used: [],
      },
      metadata: {
        mode: 'interactive',
        tags: [],
        linked_traces: [],
      },
    },
    ...over,
  }
}
