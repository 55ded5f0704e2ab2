// Sends signed requests to S3, and repeats a request if the storage allows it.
// Invariants: a signature is only in its header, and redirects are not followed. A request is sent
// `s3Retry.tries` times at most.
import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'
import { type AbortSignalLike, checkAborted } from '../../../core/abort.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Clock, Random } from '../../../core/ports.ts'
import { retryAfterMs } from '../../../core/time.ts'
import { readRefusal, type S3Refusal, s3Fault } from './s3-fault.ts'
import type { S3Place } from './s3-target.ts'

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Key of the object. Default: the request is for the bucket. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
}

export interface S3Answer {
  readonly response: Response
  /** Stops the timer and the link to the caller's signal. Call it when the body is read, or isn't needed. */
  end(): void
}

export interface S3Ports {
  readonly clock: Clock
  readonly random: Random
  /** Calls `task` after `ms`, and keeps the process alive until then. Returns a function that cancels. */
  readonly later: (ms: number, task: () => void) => () => void
  readonly fetch: typeof globalThis.fetch
}

export interface S3Client {
  /** The target's name for messages, as `s3://bucket/path`. */
  readonly name: string
  /**
   * Resolves with a successful answer. Rejects with the error of a refusal (`s3Fault`), `offline`, or
   * `aborted`.
   */
  ask(request: S3Request, signal: AbortSignalLike): Promise<S3Answer>
  /** Like `ask`, but resolves with the whole text of the answer. */
  text(
    request: S3Request,
    signal: AbortSignalLike,
  ): Promise<{ readonly text: string; readonly headers: Headers }>
}

/**
 * `tries`: most requests. `tryMs`: longest wait for the answer to a request. `firstPauseMs`,
 * `longestPauseMs`: pauses between requests.
 */
export const s3Retry = { tries: 5, tryMs: 300_000, firstPauseMs: 250, longestPauseMs: 20_000 } as const
/** Longest text of an answer, in characters. */
const textLimit = 4_000_000

export function createS3Client(place: S3Place, ports: S3Ports): S3Client {
  const { endpoint, bucket, region, credentials } = place
  const { host } = new URL(endpoint)
  /** Signing keys of the days in use, which the signer derives and caches. */
  const keys = new Map<string, ArrayBuffer>()
  const name = `s3://${bucket}/${place.prefix}`.replace(/\/$/, '')

  const signed = async ({ method, key, query = {}, headers = {}, body }: S3Request) => {
    const url = new URL(`${endpoint}/${bucket}${key === undefined ? '' : `/${key}`}`)
    for (const [field, value] of Object.entries(query)) url.searchParams.set(field, value)
    const sum = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const signer = new AwsV4Signer({
      ...credentials,
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': sum },
      region,
      service: 's3',
      cache: keys,
      datetime: new Date(ports.clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    })
    const { url: to, headers: all } = await signer.sign()
    return { url: to, init: { method, headers: all, ...(body ? streamed(body, all) : {}) } }
  }

  const send = async (request: S3Request, signal: AbortSignalLike): Promise<S3Answer> => {
    const link = linked(signal, s3Retry.tryMs)
    try {
      const { url, init } = await signed(request)
      const response = await ports.fetch(url, { ...init, redirect: 'manual', signal: link.signal })
      // While the body is read, fetch itself detects a connection without data.
      link.answered()
      return { response, end: () => link.end() }
    } catch (cause) {
      link.end()
      checkAborted(signal)
      throw unreachable(host, cause)
    }
  }

  const refusalOf = async ({ response, end }: S3Answer, signal: AbortSignalLike): Promise<S3Refusal> => {
    const body = await readText(response).catch(() => '')
    end()
    checkAborted(signal)
    return readRefusal(response.status, body, (field) => response.headers.get(field))
  }

  const ask: S3Client['ask'] = async (request, signal) => {
    for (let number = 1; ; number += 1) {
      checkAborted(signal)
      const answer = await send(request, signal)
      const { response } = answer
      if (response.ok) return answer
      const refusal = await refusalOf(answer, signal)
      if (!mayTryAgain(refusal) || number === s3Retry.tries) throw s3Fault(refusal, name, request.key)
      const waitMs = retryAfterMs(response.headers.get('retry-after'), ports.clock.now())
      await pause(waitMs ?? pauseMs(number, ports.random), ports.later, signal)
    }
  }

  return {
    name,
    ask,
    async text(request, signal) {
      const { response, end } = await ask(request, signal)
      try {
        return { text: await readText(response), headers: response.headers }
      } catch (cause) {
        checkAborted(signal)
        throw unreachable(host, cause)
      } finally {
        end()
      }
    },
  }
}

/** Bytes that a stream passes to fetch at once. */
const pieceBytes = 65_536

/**
 * A body as a stream: fetch would first copy the bytes of an array, which needs much memory for large parts.
 */
function streamed(body: Uint8Array<ArrayBuffer>, headers: Headers) {
  headers.set('content-length', String(body.byteLength))
  let at = 0
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (at < body.byteLength) controller.enqueue(body.subarray(at, at + pieceBytes))
      else controller.close()
      at += pieceBytes
    },
  })
  return { body: stream, duplex: 'half' as const }
}

/** Whether the request may be repeated: after 500 and 503, and after the codes of these statuses with another status. */
function mayTryAgain({ status, code }: S3Refusal): boolean {
  return status === 500 || status === 503 || code === 'SlowDown' || code === 'InternalError'
}

/** The pause after request `number`: doubled each time, times 0.5 to 1 at random, so that clients don't retry together. */
function pauseMs(number: number, random: Random): number {
  const share = 0.5 + (random.bytes(1)[0] ?? 0) / 512
  return s3Retry.firstPauseMs * 2 ** (number - 1) * share
}

function pause(ms: number, later: S3Ports['later'], signal: AbortSignalLike): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      cancel()
      reject(new DaybookError('aborted', undefined, { cause: signal.reason }))
    }
    const cancel = later(Math.min(ms, s3Retry.longestPauseMs), () => {
      signal.removeEventListener('abort', end)
      resolve()
    })
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
  })
}

/** The error `offline`: the storage can't be reached, or the connection broke during the answer. */
export function unreachable(host: string, cause: unknown): DaybookError {
  return new DaybookError('offline', `The archive storage at ${host} can't be reached.`, {
    details: { host },
    cause,
  })
}

interface Linked {
  readonly signal: AbortSignal
  /** Stops the timer. Call it when the answer has begun. */
  answered(): void
  /** Stops the timer, and removes the listener of the caller's signal. */
  end(): void
}

/** Makes an `AbortSignal` for fetch that aborts with `signal`, or after `ms` without an answer. */
function linked(signal: AbortSignalLike, ms: number): Linked {
  const source = new AbortController()
  const stop = () => source.abort()
  const timer = setTimeout(stop, ms)
  signal.addEventListener('abort', stop, { once: true })
  return {
    signal: source.signal,
    answered: () => clearTimeout(timer),
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    },
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > textLimit) throw new Error('The answer is too long.')
  }
  return text + decoder.decode()
}
