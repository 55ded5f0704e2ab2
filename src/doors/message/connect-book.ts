// Uses a book of another window over `postMessage`, from a window, frame, worker or extension.
// Invariant: every call settles with the answer or a `DaybookError`, also if the other side is gone.
import type { CapabilityId, CapabilityInput, CapabilityOutput } from '../../book/daybook.ts'
import { type AbortSignalLike, orAborted } from '../../core/abort.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError } from '../../core/errors.ts'
import { anyOption, numberOption, optionsOf, signalOption, textOption } from '../../core/option-check.ts'
import {
  type CallAnswer,
  type CallRequest,
  type Connect,
  type Leave,
  messageVersion,
  type Welcome,
} from './message-wire.ts'

/** The other side: a window, a worker or a port. */
export interface MessageTarget {
  postMessage(
    message: unknown,
    options: { readonly transfer: Transferable[]; readonly targetOrigin?: string },
  ): void
}

export interface ConnectOptions {
  readonly to: MessageTarget
  /**
   * The origin of the book's window; a window of another origin gets no message. Default: the origin of this window.
   */
  readonly origin?: string | undefined
  /** Milliseconds to wait for the connection, 1 to 600,000. Default: 10,000. */
  readonly deadlineMs?: number | undefined
  readonly signal?: AbortSignalLike | undefined
}

export interface MessageCallOptions extends Pick<CallRequest, 'requestId' | 'purpose' | 'receipt'> {
  readonly signal?: AbortSignalLike
}

export interface BookConnection extends Disposable {
  /** Calls a capability that the other side's token permits. */
  call<Id extends CapabilityId>(
    id: Id,
    input?: CapabilityInput<Id>,
    options?: MessageCallOptions,
  ): Promise<CapabilityOutput<Id>>
  /** Resolves with the reason when either side ends the connection. */
  readonly closed: Promise<DaybookError>
  /** Ends the connection, and cancels unanswered calls. */
  close(): void
}

const checkOptions = optionsOf<ConnectOptions>(
  { to: anyOption, origin: textOption(300), deadlineMs: numberOption(1, 600_000), signal: signalOption },
  ['to'],
)

/**
 * Connects to the book at `to`. Rejects with `forbidden` if this page's origin is not allowed, `deadline-exceeded`
 * without an answer, `rate-limited` if too many connections are open, `invalid-input` for a wrong option.
 */
export async function connectBook(options: ConnectOptions): Promise<BookConnection> {
  checkOptions(options, 'options')
  const { to, origin, deadlineMs = 10_000, signal } = options
  const { port1, port2 } = new MessageChannel()
  const connection = new Connection(port1)
  const request: Connect = { daybook: 'connect', version: messageVersion }
  to.postMessage(request, { transfer: [port2], ...defined({ targetOrigin: origin }) })
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
    port.addEventListener('message', ({ data }: MessageEvent<Welcome | CallAnswer>) => this.#receive(data))
    port.addEventListener('messageerror', () => this.fail(new DaybookError('protocol-error')))
    port.addEventListener('close', () => this.fail(new DaybookError('book-closed', 'The window is gone.')))
    port.start()
    // Close when the frame is removed or the user leaves the page. Workers have no such event.
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
      ...defined({ input }),
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

  #receive(message: Welcome | CallAnswer): void {
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
