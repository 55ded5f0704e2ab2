// A book of another window, as a window, frame, worker or extension uses it over `postMessage`. Invariant: every call settles,
// with the answer or with a `DaybookError`, whatever becomes of the other side.
import type { CapabilityId, CapabilityInput, CapabilityOutput } from '../../book/daybook.ts'
import { type AbortSignalLike, orAborted } from '../../core/abort.ts'
import { DaybookError } from '../../core/errors.ts'
import {
  anyOption,
  numberOption,
  optionsOf,
  signalOption,
  textOption,
} from '../../core/option/option-check.ts'
import {
  type CallAnswer,
  type CallRequest,
  type Connect,
  type Leave,
  messageVersion,
  type Welcome,
} from './message-wire.ts'

/** Where the book answers: a window, a worker, a port. */
export interface MessageTarget {
  postMessage(
    message: unknown,
    options: { readonly transfer: Transferable[]; readonly targetOrigin?: string },
  ): void
}

export interface ConnectOptions {
  readonly to: MessageTarget
  /** The origin of the window that has the book: nobody else gets the message. Default this window's own. */
  readonly origin?: string | undefined
  /** Milliseconds until nobody is there. Default 10,000. */
  readonly deadlineMs?: number | undefined
  readonly signal?: AbortSignalLike | undefined
}

export interface MessageCallOptions extends Pick<CallRequest, 'requestId' | 'purpose' | 'receipt'> {
  readonly signal?: AbortSignalLike
}

export interface BookConnection extends Disposable {
  /** Any capability by its id, as far as the token permits that the other side gave. */
  call<Id extends CapabilityId>(
    id: Id,
    input?: CapabilityInput<Id>,
    options?: MessageCallOptions,
  ): Promise<CapabilityOutput<Id>>
  /** Resolves with the reason when the connection is over, by either side. */
  readonly closed: Promise<DaybookError>
  /** Ends the connection; calls that have no answer are cancelled. */
  close(): void
}

const checkOptions = optionsOf<ConnectOptions>(
  { to: anyOption, origin: textOption(300), deadlineMs: numberOption(1, 600_000), signal: signalOption },
  ['to'],
)

/**
 * Connects to the book that answers at `to`. Rejects with `forbidden` where this page's origin was not named,
 * `deadline-exceeded` where nobody answers, `rate-limited` where too many are connected.
 */
export async function connectBook(options: ConnectOptions): Promise<BookConnection> {
  checkOptions(options, 'options')
  const { to, origin, deadlineMs = 10_000, signal } = options
  const { port1, port2 } = new MessageChannel()
  const connection = new Connection(port1)
  const asked: Connect = { daybook: 'connect', version: messageVersion }
  to.postMessage(asked, { transfer: [port2], ...(origin === undefined ? {} : { targetOrigin: origin }) })
  const timer = setTimeout(() => connection.fail(nobody(deadlineMs)), deadlineMs)
  try {
    await (signal ? orAborted(connection.opened, signal) : connection.opened)
    return connection
  } catch (error) {
    connection.close()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const nobody = (deadlineMs: number) =>
  new DaybookError(
    'deadline-exceeded',
    'No book answers there: it is not open yet, or `origin` is not the origin of that window.',
    { details: { deadlineMs } },
  )

interface Waiting {
  resolve(answer: unknown): void
  reject(error: DaybookError): void
}

class Connection implements BookConnection {
  readonly #port: MessagePort
  readonly #waiting = new Map<string, Waiting>()
  readonly #opening = Promise.withResolvers<undefined>()
  readonly #closing = Promise.withResolvers<DaybookError>()
  #last = 0
  #ended: DaybookError | undefined

  constructor(port: MessagePort) {
    this.#port = port
    this.#opening.promise.catch(() => undefined)
    port.addEventListener('message', ({ data }: MessageEvent<Welcome | CallAnswer>) => this.#hear(data))
    port.addEventListener('messageerror', () => this.fail(new DaybookError('protocol-error')))
    port.addEventListener('close', () => this.fail(new DaybookError('book-closed', 'The window is gone.')))
    port.start()
    // A frame that is taken away, or a page that is left. In a worker there is no such event.
    globalThis.addEventListener?.('pagehide', this.#hidden)
  }

  readonly #hidden = (event: Event & { readonly persisted?: boolean }) => {
    if (event.persisted !== true) this.close()
  }

  get opened(): Promise<undefined> {
    return this.#opening.promise
  }

  get closed(): Promise<DaybookError> {
    return this.#closing.promise
  }

  call<Id extends CapabilityId>(
    id: Id,
    input?: CapabilityInput<Id>,
    { signal, ...named }: MessageCallOptions = {},
  ): Promise<CapabilityOutput<Id>> {
    const number = String(++this.#last)
    const answer = this.#ask({
      id: number,
      capability: id,
      ...(input === undefined ? {} : { input }),
      ...named,
    })
    if (!signal) return answer as Promise<CapabilityOutput<Id>>
    return orAborted(answer, signal).catch((error: unknown) => {
      if (signal.aborted && !this.#ended) this.#port.postMessage({ cancel: number })
      throw error
    }) as Promise<CapabilityOutput<Id>>
  }

  #ask(request: CallRequest): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      try {
        this.#port.postMessage(request)
        this.#waiting.set(request.id, { resolve, reject })
      } catch (cause) {
        const details = { path: 'input' }
        reject(new DaybookError('invalid-input', '`input`: It can’t be sent.', { details, cause }))
      }
    })
  }

  #hear(message: Welcome | CallAnswer): void {
    if ('daybook' in message) {
      if (message.daybook === 'connected') this.#opening.resolve(undefined)
      else this.fail(DaybookError.from(message.error))
      return
    }
    const waiting = message.id === null ? undefined : this.#waiting.get(message.id)
    if (!waiting || message.id === null) return
    this.#waiting.delete(message.id)
    if (message.ok) waiting.resolve(message.answer)
    else waiting.reject(DaybookError.from(message.error))
  }

  fail(error: DaybookError): void {
    if (this.#ended) return
    this.#ended = error
    globalThis.removeEventListener?.('pagehide', this.#hidden)
    this.#port.postMessage({ daybook: 'leave' } satisfies Leave)
    this.#port.close()
    this.#opening.reject(error)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
    this.#closing.resolve(error)
  }

  close(): void {
    this.fail(new DaybookError('book-closed', 'This connection to the book was closed.'))
  }

  [Symbol.dispose](): void {
    this.close()
  }
}
