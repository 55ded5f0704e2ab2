// The way to a mirror over HTTP, on whatever `fetch` the host has.
// Invariant: the key goes to the mirror's own address over HTTPS, or to this very machine, and nowhere else.
import { type AbortSignalLike, orAborted } from '../../core/abort.ts'
import { checkAddress, checkKey, isOwnMachine } from '../../core/address.ts'
import { checkBookName } from '../../core/book.ts'
import {
  DaybookError,
  type ErrorCode,
  type ErrorShape,
  errorTable,
  isDaybookError,
  toDaybookError,
} from '../../core/errors.ts'
import type { Carrier, EndOfBook, LineHooks, Scheduler } from '../../core/ports.ts'
import { openLiveLine, type OpenSocket } from './live-line.ts'
import type { Purpose } from '../wire/live-wire.ts'
import { wireError } from '../wire/protocol.ts'

/** Texts that are shorter fit a few packets as they are. */
const gzipFrom = 4096

/** As much of `fetch` as this needs. */
export type FetchLike = (
  url: string,
  init: {
    method: 'POST' | 'PUT' | 'DELETE'
    headers: Record<string, string>
    body: string | Uint8Array<ArrayBuffer>
    redirect: 'manual'
  },
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
  /** The gzip of a text as UTF-8. With it large requests that leave this machine travel so. */
  readonly gzip?: ((text: string) => Promise<Uint8Array<ArrayBuffer>>) | undefined
  /** Opens a WebSocket; with it the carrier has lines on which the mirror tells of changes. */
  readonly socket?: OpenSocket | undefined
}

/** Where the requests of `book` go at the edge at `url`; throws `invalid-input` when that is no address for a key. */
export function syncAddress(url: string, book: string): string {
  return `${checkAddress(url, 'sync.url')}/v1/books/${checkBookName(book)}/sync`
}

/** A carrier to the mirror of `book` at `url`; throws `invalid-input` when that is no address to send a key to. */
export function createHttpCarrier(options: HttpCarrierOptions): Carrier {
  const { key, fetch, scheduler, gzip, deadlineMs = 60_000 } = options
  const url = syncAddress(options.url, options.book)
  const live = url.replace(/sync$/, 'live')
  const capabilities = url.replace(/sync$/, 'capabilities')
  if (typeof key === 'string') checkKey(key, 'sync.key')

  const send = async (
    to: string,
    request: unknown,
    more: Record<string, string> = {},
    method: 'POST' | 'PUT' | 'DELETE' = 'POST',
  ): Promise<unknown> => {
    const authorization = `Bearer ${checkKey(typeof key === 'string' ? key : await readKey(key), 'sync.key')}`
    const text = JSON.stringify(request)
    const zipped = text.length >= gzipFrom && !isOwnMachine(to) ? await gzip?.(text) : undefined
    const headers = {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json',
      ...(zipped ? { 'content-encoding': 'gzip' } : {}),
      ...more,
    }
    const body = zipped ?? text
    const answer = await reach(async () => {
      // A redirect would take the key along, to wherever it leads.
      const response = await fetch(to, { method, headers, body, redirect: 'manual' })
      return { status: response.status, text: await response.text() }
    })
    return readAnswer(answer)
  }

  const inTime = (answer: Promise<unknown>) => (scheduler ? orLate(answer, scheduler, deadlineMs) : answer)
  const ask = (to: string, request: unknown, more?: Record<string, string>) => inTime(send(to, request, more))
  const book = url.replace(/\/sync$/, '')
  const askBook = (method: 'PUT' | 'DELETE', { confirm, epoch }: EndOfBook) =>
    inTime(send(book, epoch === undefined ? { confirm } : { confirm, epoch }, {}, method))
  const { socket } = options

  return {
    exchange: (request, signal: AbortSignalLike) => orAborted(ask(url, request), signal),
    call: (id, input, requestId, signal) =>
      orAborted(ask(`${capabilities}/${id}`, input, { 'idempotency-key': requestId }), signal),
    erase: (asked, signal) => orAborted(askBook('DELETE', asked), signal),
    begin: (asked, signal) => orAborted(askBook('PUT', asked), signal),
    ...(socket && {
      listen: (device: string, hooks: LineHooks, purposes?: readonly Purpose[]) =>
        openLiveLine({ url: live, socket, ask: (body) => ask(live, body) }, device, hooks, purposes),
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

/** `work`, whose failure means that nobody was reached: most hosts can't tell the reasons apart. */
async function reach<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (isDaybookError(cause, 'local-network-blocked')) throw cause
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
  // Of a redirect a browser shows a page nothing but the status 0.
  if (status === 0 || (status >= 300 && status < 400)) {
    throw new DaybookError(
      'protocol-error',
      'The address leads elsewhere, and the key does not go along: give the address that it leads to.',
      { details: { status } },
    )
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
