// Calls an embedder over HTTP: one POST of JSON, with a deadline and an abort signal.
// Invariant: an error never quotes the request or the response, which may have a key or a user's text.
import { type AbortSignalLike, checkAborted, createDeadline, orAborted } from '../../core/abort.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { Clock, Scheduler } from '../../core/ports.ts'
import { retryAfterMs } from '../../core/time.ts'

export interface EmbedResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  json(): Promise<unknown>
}

/** The used part of `fetch`. */
export type EmbedFetch = (
  url: string,
  init: { method: 'POST'; headers: Record<string, string>; body: string; signal: AbortSignalLike },
) => Promise<EmbedResponse>

interface FetchHost {
  fetch(url: string, init: object): Promise<EmbedResponse>
  readonly AbortController: new () => { readonly signal: object; abort(): void }
}

/** The `fetch` of a host with our abort signals. */
export function createEmbedFetch(host: object): EmbedFetch {
  const { fetch, AbortController } = host as FetchHost
  return (url, { signal, ...init }) => {
    const abort = new AbortController()
    if (signal.aborted) abort.abort()
    signal.addEventListener('abort', () => abort.abort(), { once: true })
    // Don't follow redirects: texts must not go to another address. A redirect is a failed answer.
    return fetch.call(host, url, { ...init, redirect: 'manual', signal: abort.signal })
  }
}

export interface EmbedRequest {
  readonly url: string
  /** Returns the key, or undefined for a request without one. The deadline includes its time. */
  readonly readKey: () => Promise<string | undefined>
  readonly body: unknown
  readonly deadlineMs: number
  readonly signal: AbortSignalLike
}

export interface EmbedHttpAccess {
  readonly fetch: EmbedFetch
  readonly scheduler: Scheduler
  readonly clock: Clock
}

/** Sends the request and returns the JSON of a successful answer. */
export async function postToEmbedder(
  { fetch, scheduler, clock }: EmbedHttpAccess,
  { url, readKey, body, deadlineMs, signal }: EmbedRequest,
): Promise<unknown> {
  const deadline = createDeadline(signal, scheduler, deadlineMs)
  const send = async () => {
    const key = await readKey()
    // The key may come after the deadline.
    checkAborted(deadline.signal)
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(body),
      signal: deadline.signal,
    })
    if (answer.status < 200 || answer.status > 299) throw statusError(answer, clock.now())
    return answer.json()
  }
  try {
    return await orAborted(send(), deadline.signal)
  } catch (error) {
    if (deadline.isOver())
      throw new DaybookError('embedder-failed', `No answer came within ${deadlineMs} ms.`)
    if (isDaybookError(error)) throw error
    throw new DaybookError('embedder-failed', 'It could not be reached, or its answer not be read.', {
      cause: error,
    })
  } finally {
    deadline.end()
  }
}

function statusError({ status, headers }: EmbedResponse, now: number): DaybookError {
  const retryMs = retryAfterMs(headers.get('retry-after'), now)
  return new DaybookError('embedder-failed', `It answered with status ${status}.`, {
    details: {
      status,
      ...(retryMs === undefined ? {} : { retryAfterMs: Math.min(retryMs, maxRetryAfterMs) }),
    },
    retry: status === 408 || status === 425 || status === 429 || status >= 500,
  })
}

/** Retry within the hour, whatever `retry-after` says. */
const maxRetryAfterMs = 3_600_000

/**
 * Vectors of unit length, one for each of `count` texts; throws otherwise, without retry. `dimensions`: of each vector;
 * undefined: as many as the first one has.
 */
export function parseVectors(
  value: unknown,
  count: number,
  dimensions: number | undefined,
  normalise: (vector: ArrayLike<number>) => Float32Array | undefined,
): Float32Array[] {
  const invalidAnswer = (message: string) =>
    new DaybookError('embedder-failed', `${message}.`, { retry: false })
  if (!Array.isArray(value) || value.length !== count)
    throw invalidAnswer(`It answered no list of ${count} vectors`)
  const expectedDimensions = dimensions ?? (Array.isArray(value[0]) ? value[0].length : 0)
  return value.map((numbers: unknown) => {
    if (!Array.isArray(numbers) || numbers.some((number) => typeof number !== 'number'))
      throw invalidAnswer('It answered something that is no vector')
    const { length } = numbers
    const right = length === expectedDimensions ? `1 to ${maxDimensions}` : expectedDimensions
    if (length !== expectedDimensions || length < 1 || length > maxDimensions)
      throw invalidAnswer(`It answered a vector of ${length} dimensions, not ${right}`)
    const unit = normalise(numbers as number[])
    if (!unit) throw invalidAnswer('It answered a vector with numbers that are not finite')
    return unit
  })
}

/** Most dimensions of a vector. */
export const maxDimensions = 4096
