// Carries requests to a mirror over HTTP, with the host's `fetch`, and opens live connections over WebSocket.
// Invariant: the key goes only to the mirror's own address, over HTTPS or on this machine. No address and no
// subprotocol contains the key, because servers log both; a subprotocol contains a ticket, valid for one connection
// and a few seconds.
import { type AbortSignalLike, orAborted } from '../../core/abort.ts'
import { checkAddress, checkKey, isOwnMachine } from '../../core/address.ts'
import { checkBookName } from '../../core/book.ts'
import { defined } from '../../core/defined.ts'
import {
  DaybookError,
  type ErrorCode,
  type ErrorShape,
  errorTable,
  isDaybookError,
  toDaybookError,
} from '../../core/errors.ts'
import type { Carrier, EndRequest, LineHooks, Scheduler, MirrorLine } from '../../core/ports.ts'
import {
  type Purpose,
  closeCodes,
  liveProtocols,
  ticketAnswer,
  ticketPrefix,
  versionOf,
} from '../wire/live-wire.ts'
import { wireError } from '../wire/protocol.ts'

/** Length from which request texts are compressed. */
const minGzipChars = 4096
/** Time after the deadline of a request until its transfer ends too. */
const transferEndMs = 1000

/** The part of `fetch` that this module uses. */
export type FetchLike = (
  url: string,
  init: {
    method: 'POST' | 'PUT' | 'DELETE'
    headers: Record<string, string>
    body: string | Uint8Array<ArrayBuffer>
    redirect: 'manual'
    /** The host should end the transfer after this time, because a later one would be slower. Absent: never. */
    timeoutMs?: number
  },
) => Promise<{ readonly status: number; text(): Promise<string> }>

export interface HttpCarrierOptions {
  /** Address of the edge: `https://daybook.example.org`, or `http://127.0.0.1:8787` on this machine. */
  readonly url: string
  readonly book: string
  /** Access key of the book, or a function that returns it before each request. */
  readonly key: string | (() => Promise<string>)
  readonly fetch: FetchLike
  /**
   * With a scheduler, a request throws `offline` after `deadlineMs` (default 60,000) without an answer; with a large op,
   * later.
   */
  readonly scheduler?: Scheduler
  readonly deadlineMs?: number
  /** Compresses a text as UTF-8. Used for large requests that leave this machine. */
  readonly gzip?: ((text: string) => Promise<Uint8Array<ArrayBuffer>>) | undefined
  /** Opens a WebSocket. Absent: there are no live connections. */
  readonly socket?: SocketFactory | undefined
}

interface SendOptions {
  readonly method?: 'POST' | 'PUT' | 'DELETE'
  readonly moreHeaders?: Record<string, string>
  readonly timeoutMs?: number
}

/** Returns the sync address of `book` at the edge `url`. Throws `invalid-input` if no key may be sent there. */
export function syncAddress(url: string, book: string): string {
  return `${checkAddress(url, 'sync.url')}/v1/books/${checkBookName(book)}/sync`
}

/** Creates a carrier to the mirror of `book` at `url`. Throws `invalid-input` if no key may be sent there. */
export function createHttpCarrier(options: HttpCarrierOptions): Carrier {
  const { key, fetch, scheduler, gzip, deadlineMs = 60_000 } = options
  const url = syncAddress(options.url, options.book)
  const live = url.replace(/sync$/, 'live')
  const capabilities = url.replace(/sync$/, 'capabilities')
  if (typeof key === 'string') checkKey(key, 'sync.key')

  const send = async (
    to: string,
    request: unknown,
    { method = 'POST', moreHeaders = {}, timeoutMs }: SendOptions = {},
  ): Promise<unknown> => {
    const authorization = `Bearer ${checkKey(typeof key === 'string' ? key : await readKey(key), 'sync.key')}`
    const text = JSON.stringify(request)
    const zipped = text.length >= minGzipChars && !isOwnMachine(to) ? await gzip?.(text) : undefined
    const headers = {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json',
      ...(zipped ? { 'content-encoding': 'gzip' } : {}),
      ...moreHeaders,
    }
    const body = zipped ?? text
    const answer = await orOffline(async () => {
      // A redirect would send the key to another address.
      const response = await fetch(to, {
        method,
        headers,
        body,
        redirect: 'manual',
        ...defined({ timeoutMs }),
      })
      return { status: response.status, text: await response.text() }
    })
    return parseAnswer(answer)
  }

  const withDeadline = (answer: Promise<unknown>, ms = deadlineMs) =>
    scheduler ? orOfflineAfter(answer, scheduler, ms) : answer
  const post = (to: string, request: unknown, sendOptions?: SendOptions) =>
    withDeadline(send(to, request, sendOptions))
  const exchange = (request: unknown) => {
    // One op can't be split: it may take a millisecond per character.
    const { ops } = request as { readonly ops?: readonly unknown[] }
    const ms = ops?.length === 1 ? Math.max(deadlineMs, JSON.stringify(ops).length) : deadlineMs
    return withDeadline(send(url, request, { timeoutMs: ms + transferEndMs }), ms)
  }
  const book = url.replace(/\/sync$/, '')
  const sendToBook = (method: 'PUT' | 'DELETE', { confirm, epoch }: EndRequest) =>
    withDeadline(send(book, epoch === undefined ? { confirm } : { confirm, epoch }, { method }))
  const { socket } = options

  return {
    exchange: (request, signal: AbortSignalLike) => orAborted(exchange(request), signal),
    call: (id, input, requestId, signal) =>
      orAborted(
        post(`${capabilities}/${id}`, input, { moreHeaders: { 'idempotency-key': requestId } }),
        signal,
      ),
    erase: (input, signal) => orAborted(sendToBook('DELETE', input), signal),
    begin: (input, signal) => orAborted(sendToBook('PUT', input), signal),
    ...(socket && {
      listen: (device: string, hooks: LineHooks, purposes?: readonly Purpose[]) =>
        openLiveLine(
          { url: live, socket, requestTicket: (body) => post(live, body) },
          device,
          hooks,
          purposes,
        ),
    }),
  }
}

async function readKey(key: () => Promise<string>): Promise<string> {
  try {
    return await key()
  } catch (cause) {
    // The mirror refused nothing: the function may have had no network.
    throw new DaybookError('unauthorized', 'The function that fetches the key failed.', {
      cause,
      retry: true,
    })
  }
}

/** Runs `work`. A failure becomes `offline`, because most hosts report no reason. */
async function orOffline<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (isDaybookError(cause, 'local-network-blocked')) throw cause
    throw new DaybookError('offline', undefined, { cause })
  }
}

function parseAnswer({ status, text }: { status: number; text: string }): unknown {
  const body = parseJson(text)
  if (status >= 200 && status < 300 && body !== undefined) return body
  const error = wireError.safeParse(body)
  if (error.success && Object.hasOwn(errorTable, error.data.code)) {
    throw DaybookError.from({ ...error.data, code: error.data.code as ErrorCode } satisfies ErrorShape)
  }
  // A browser hides a redirect from a page: the status is 0.
  if (status === 0 || (status >= 300 && status < 400)) {
    throw new DaybookError(
      'protocol-error',
      'The address leads elsewhere, and the key does not go along: give the address that it leads to.',
      { details: { status } },
    )
  }
  throw new DaybookError(
    'protocol-error',
    `The address answered with status ${status}, but not as a mirror. Check the address.`,
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

function orOfflineAfter<Result>(
  work: Promise<Result>,
  scheduler: Scheduler,
  deadlineMs: number,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = scheduler.later(deadlineMs, () =>
      reject(
        new DaybookError('offline', `No answer came within ${deadlineMs} ms.`, { details: { deadlineMs } }),
      ),
    )
    work.then(resolve, (error: unknown) => reject(toDaybookError(error))).finally(cancel)
  })
}

/** The part of `WebSocket` that this module uses. */
export interface SocketLike {
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  send(text: string): void
  close(code?: number): void
  readonly bufferedAmount: number
  /** The subprotocol that the mirror chose. */
  readonly protocol?: string
}
type SocketFactory = (url: string, protocols: string[]) => SocketLike

interface LiveLineOptions {
  /** Address of the live connection, as http or https. */
  readonly url: string
  /** Requests a ticket, with the key. */
  requestTicket(body: object): Promise<unknown>
  readonly socket: SocketFactory
}

/** Limit of unsent bytes. A socket with more counts as broken. */
const maxBufferedBytes = 65_536

export function openLiveLine(
  { url, requestTicket, socket: open }: LiveLineOptions,
  device: string,
  hooks: LineHooks,
  purposes: readonly Purpose[] = ['sync'],
): MirrorLine {
  let socket: SocketLike | undefined
  let isEnded = false
  const end = (error: DaybookError) => {
    if (isEnded) return
    isEnded = true
    hooks.ended(error)
  }
  const start = async () => {
    const ticket = await getTicket(requestTicket, device, purposes)
    const answer = ticketAnswer.safeParse(ticket.answer).data
    if (isEnded) return
    if (!answer) throw new DaybookError('protocol-error')
    const opened = open(url.replace(/^http/i, 'ws'), [...liveProtocols, `${ticketPrefix}${answer.ticket}`])
    socket = opened
    opened.onopen = () => {
      if (!isEnded)
        hooks.opened(
          versionOf(liveProtocols.find((one) => one === opened.protocol) ?? 'daybook.live.1'),
          ticket.purposes,
        )
    }
    opened.onmessage = (event) => {
      const { data } = event as { readonly data: unknown }
      if (!isEnded && typeof data === 'string') hooks.received(data)
    }
    // `onclose` follows every error.
    opened.onclose = (event) => {
      const { code } = event as { readonly code: number }
      // Another connection of this device replaced this one. Don't reconnect, or both would replace each other for
      // ever.
      if (code === closeCodes.replaced)
        end(new DaybookError('conflict', 'Another line of this device is open.'))
      else if (code === closeCodes.erased) end(new DaybookError('book-erased'))
      else end(new DaybookError('offline', `The line ended with code ${code}.`))
    }
  }
  start().catch((error: unknown) => end(toDaybookError(error)))
  return {
    send(text) {
      if (!socket || isEnded) return
      if (socket.bufferedAmount <= maxBufferedBytes) return socket.send(text)
      socket.close()
      end(new DaybookError('offline', 'The line no longer accepts messages.'))
    },
    close() {
      isEnded = true
      socket?.close(1000)
    },
  }
}

interface Ticket {
  readonly answer: unknown
  readonly purposes: readonly Purpose[]
}

/**
 * Gets a ticket for `purposes`. If the mirror refuses (too old for purposes, or the key doesn't permit one), gets a
 * ticket for `sync` only.
 */
async function getTicket(
  ask: LiveLineOptions['requestTicket'],
  device: string,
  purposes: readonly Purpose[],
): Promise<Ticket> {
  const getSyncTicket = async (): Promise<Ticket> => ({ answer: await ask({ device }), purposes: ['sync'] })
  const isSyncOnly = purposes.every((one) => one === 'sync')
  if (isSyncOnly) return getSyncTicket()
  try {
    return { answer: await ask({ device, for: purposes }), purposes }
  } catch (error) {
    const isRefused = isDaybookError(error, 'invalid-input') || isDaybookError(error, 'forbidden')
    if (!isRefused || !purposes.includes('sync')) throw error
    return getSyncTicket()
  }
}
