// The way to a mirror over HTTP, on whatever `fetch` the host has.
// Invariant: the key goes to the mirror's own address over HTTPS, or to this very machine, and nowhere else.
import { type AbortSignalLike, orAborted } from '../core/abort.ts'
import { checkAddress, checkKey } from '../core/address.ts'
import { checkBookName } from '../core/book.ts'
import { DaybookError, type ErrorCode, type ErrorShape, errorTable, toDaybookError } from '../core/errors.ts'
import type { Carrier, LineHooks, Scheduler } from '../core/ports.ts'
import { openLiveLine, type OpenSocket } from './live-line.ts'
import { wireError } from './protocol.ts'

/** As much of `fetch` as this needs. */
export type FetchLike = (
  url: string,
  init: { method: 'POST'; headers: Record<string, string>; body: string },
) => Promise<{ readonly status: number; text(): Promise<string> }>

export interface HttpCarrierOptions {
  /** Where the edge is: `https://daybook.example.org`, or `http://127.0.0.1:8787` on this machine. */
  readonly url: string
  readonly book: string
  /** The key of the book, or a function that fetches it before each request. */
  readonly key: string | (() => Promise<string>)
  readonly fetch: FetchLike
  /** With a scheduler, a request without an answer is `offline` after `deadlineMs`, 60,000 by default. */
  readonly scheduler?: Scheduler
  readonly deadlineMs?: number
  /** Opens a WebSocket; with it the carrier has lines on which the mirror tells of changes. */
  readonly socket?: OpenSocket | undefined
}

/** Where the requests of `book` go at the edge at `url`; throws `invalid-input` when that is no address for a key. */
export function syncAddress(url: string, book: string): string {
  return `${checkAddress(url, 'sync.url')}/v1/books/${checkBookName(book)}/sync`
}

/** A carrier to the mirror of `book` at `url`; throws `invalid-input` when that is no address to send a key to. */
export function createHttpCarrier(options: HttpCarrierOptions): Carrier {
  const { key, fetch, scheduler, deadlineMs = 60_000 } = options
  const url = syncAddress(options.url, options.book)
  const live = url.replace(/sync$/, 'live')
  if (typeof key === 'string') checkKey(key, 'sync.key')

  const send = async (to: string, request: unknown): Promise<unknown> => {
    const authorization = `Bearer ${checkKey(typeof key === 'string' ? key : await readKey(key), 'sync.key')}`
    const headers = { authorization, 'content-type': 'application/json', accept: 'application/json' }
    const body = JSON.stringify(request)
    const answer = await reach(async () => {
      const response = await fetch(to, { method: 'POST', headers, body })
      return { status: response.status, text: await response.text() }
    })
    return readAnswer(answer)
  }

  const ask = (to: string, request: unknown) =>
    scheduler ? orLate(send(to, request), scheduler, deadlineMs) : send(to, request)
  const { socket } = options

  return {
    exchange: (request, signal: AbortSignalLike) => orAborted(ask(url, request), signal),
    ...(socket && {
      listen: (device: string, hooks: LineHooks) =>
        openLiveLine({ url: live, socket, ask: (body) => ask(live, body) }, device, hooks),
    }),
  }
}

async function readKey(key: () => Promise<string>): Promise<string> {
  try {
    return await key()
  } catch (cause) {
    throw new DaybookError('unauthorized', 'The key could not be had.', { cause })
  }
}

/** `work`, whose failure means that nobody was reached: with `fetch` nothing tells the reasons apart. */
async function reach<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw new DaybookError('offline', undefined, { cause })
  }
}

function readAnswer({ status, text }: { status: number; text: string }): unknown {
  const body = parseJson(text)
  if (status >= 200 && status < 300 && body !== undefined) return body
  const error = wireError.safeParse(body)
  if (error.success && Object.hasOwn(errorTable, error.data.code)) {
    throw DaybookError.from({ ...error.data, code: error.data.code as ErrorCode } satisfies ErrorShape)
  }
  throw new DaybookError(
    'protocol-error',
    `The address answered with status ${status} and no word of a mirror.`,
    {
      details: { status },
    },
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function orLate<Result>(work: Promise<Result>, scheduler: Scheduler, deadlineMs: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = scheduler.later(deadlineMs, () =>
      reject(new DaybookError('offline', `No answer came within ${deadlineMs} ms.`)),
    )
    work.then(resolve, (error: unknown) => reject(toDaybookError(error))).finally(cancel)
  })
}
