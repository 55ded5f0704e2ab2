// Uses a book of another window over `postMessage`, from a window, frame, worker or extension.
// Invariant: every call settles with the answer or a `DaybookError`, also if the other side is gone.
import type { CapabilityId, CapabilityInput, CapabilityOutput } from '../../book/daybook.ts'
import { type AbortSignalLike, orAborted } from '../../core/abort.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError, invalidInput, isDaybookError } from '../../core/errors.ts'
import { anyOption, numberOption, optionsOf, signalOption, textOption } from '../../core/option-check.ts'
import {
  type CallAnswer,
  type CallRequest,
  type ConnectMessage,
  type LeaveMessage,
  messageVersion,
  type ConnectionMessage,
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
  const request: ConnectMessage = { daybook: 'connect', version: messageVersion }
  const timer = setTimeout(() => connection.fail(noAnswerError(deadlineMs)), deadlineMs)
  try {
    send(to, request, port2, origin)
    await (signal ? orAborted(connection.opened, signal) : connection.opened)
    return connection
  } catch (error) {
    connection.close()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function send(
  to: ConnectOptions['to'],
  request: ConnectMessage,
  port: MessagePort,
  targetOrigin?: string,
): void {
  try {
    to.postMessage(request, { transfer: [port], ...defined({ targetOrigin }) })
  } catch (cause) {
    throw invalidInput('options.origin', 'Must be an origin, such as `https://example.com`', { cause })
  }
}

const noAnswerError = (deadlineMs: number) =>
  new DaybookError(
    'deadline-exceeded',
    'No book answers there: it is not open yet, or `origin` is not the origin of that window.',
    { details: { deadlineMs } },
  )

interface PendingCall {
  resolve(answer: unknown): void
  reject(error: DaybookError): void
}

class Connection implements BookConnection {
  readonly #port: MessagePort
  readonly #pendingCalls = new Map<string, PendingCall>()
  readonly #opening = Promise.withResolvers<undefined>()
  readonly #closing = Promise.withResolvers<DaybookError>()
  #lastCallNumber = 0
  /** The reason of the end. Undefined while the connection is open. */
  #endError: DaybookError | undefined

  constructor(port: MessagePort) {
    this.#port = port
    // After the connection is open, nobody waits for this promise.
    this.#opening.promise.catch(() => undefined)
    port.addEventListener('message', ({ data }: MessageEvent<ConnectionMessage | CallAnswer>) =>
      this.#receive(data),
    )
    port.addEventListener('messageerror', () => this.fail(new DaybookError('protocol-error')))
    port.addEventListener('close', () => this.fail(new DaybookError('book-closed', 'The window is gone.')))
    port.start()
    // Close when the frame is removed or the user leaves the page. Workers have no such event.
    globalThis.addEventListener?.('pagehide', this.#onPageHide)
  }

  /** A page in the back-forward cache (`persisted`) comes back with its connection. */
  readonly #onPageHide = (event: Event & { readonly persisted?: boolean }) => {
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
    { signal, ...callOptions }: MessageCallOptions = {},
  ): Promise<CapabilityOutput<Id>> {
    if (signal?.aborted)
      return Promise.reject(new DaybookError('aborted', undefined, { cause: signal.reason }))
    const callId = String(++this.#lastCallNumber)
    const answer = this.#send({
      id: callId,
      capability: id,
      ...defined({ input }),
      ...callOptions,
    })
    if (!signal) return answer as Promise<CapabilityOutput<Id>>
    const cancelled = orAborted(answer, signal).catch((error: unknown) => {
      if (!isDaybookError(error, 'aborted') || !this.#pendingCalls.has(callId)) throw error
      this.#port.postMessage({ cancel: callId })
      const { requestId } = callOptions
      throw new DaybookError('aborted', 'The call was sent, and may have started.', {
        details: { mayHaveBegun: true, ...defined({ requestId }) },
      })
    })
    return cancelled as Promise<CapabilityOutput<Id>>
  }

  #send(request: CallRequest): Promise<unknown> {
    if (this.#endError) return Promise.reject(this.#endError)
    return new Promise((resolve, reject) => {
      try {
        this.#port.postMessage(request)
        this.#pendingCalls.set(request.id, { resolve, reject })
      } catch (cause) {
        const details = { path: 'input' }
        reject(new DaybookError('invalid-input', '`input`: It can’t be sent.', { details, cause }))
      }
    })
  }

  #receive(message: ConnectionMessage | CallAnswer): void {
    if ('daybook' in message) {
      if (message.daybook === 'connected') this.#opening.resolve(undefined)
      else this.fail(DaybookError.from(message.error))
      return
    }
    const pendingCall = message.id === null ? undefined : this.#pendingCalls.get(message.id)
    if (!pendingCall || message.id === null) return
    this.#pendingCalls.delete(message.id)
    if (message.ok) pendingCall.resolve(message.answer)
    else pendingCall.reject(DaybookError.from(message.error))
  }

  /** Ends the connection with this error. Does nothing after the end. */
  fail(error: DaybookError): void {
    if (this.#endError) return
    this.#endError = error
    globalThis.removeEventListener?.('pagehide', this.#onPageHide)
    this.#port.postMessage({ daybook: 'leave' } satisfies LeaveMessage)
    this.#port.close()
    this.#opening.reject(error)
    for (const { reject } of this.#pendingCalls.values()) reject(error)
    this.#pendingCalls.clear()
    this.#closing.resolve(error)
  }

  close(): void {
    this.fail(new DaybookError('book-closed', 'This connection to the book was closed.'))
  }

  [Symbol.dispose](): void {
    this.close()
  }
}
