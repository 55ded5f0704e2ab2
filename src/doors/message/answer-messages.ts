// Lets other windows, frames, workers and extensions use an open book over `postMessage`.
// Invariant: a window serves only pages of `origins`. Calls have the rights of the token `as`. An invalid message
// changes nothing.
import type { BookCallOptions, Daybook } from '../../book/daybook.ts'
import { DaybookError, isDaybookError, toDaybookError, invalidInput } from '../../core/errors.ts'
import { checkJson } from '../../core/json/json.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { anyOption, integerOption, listOption, optionsOf, textOption } from '../../core/option-check.ts'
import {
  type CallAnswer,
  type CallRequest,
  assertMessageSize,
  isConnect,
  isLeave,
  messageVersion,
  maxPendingCalls,
  type PortLike,
  type ConnectionMessage,
} from './message-wire.ts'

/** A source of messages: a window, a worker that this page started, or a port. */
export interface MessageSource {
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
  removeEventListener(type: 'message', listener: (event: MessageEvent) => void): void
  /** Ports need this call before they deliver messages. */
  start?(): void
}

export interface AnswerMessagesOptions {
  /** The id of a stored control token. Calls have the rights of this token. */
  readonly as: string
  /**
   * Origins that may connect, exactly as in `location.origin`: `https://app.example.com`, `chrome-extension://<id>`.
   * A page without an origin (sandboxed, `data:`) can't connect. Required if `from` is this window.
   */
  readonly origins?: readonly string[] | undefined
  /**
   * The source of messages. Default: this window. Messages of a worker or port have no origin; they are accepted,
   * because this code chose the source. In a worker, `self` receives the messages of the page that started it.
   */
  readonly from?: MessageSource | undefined
  /** Maximum open connections. Default: 32. */
  readonly connections?: number | undefined
}

export interface MessageDoor extends Disposable {
  /** Number of open connections. */
  readonly connections: number
  /** Ends all connections; the book stays open. */
  close(): void
}

const originPattern = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s*@]+$/
const checkOptions = optionsOf<AnswerMessagesOptions>(
  {
    as: textOption(1000),
    origins: listOption((value, path) => {
      if (typeof value !== 'string' || !originPattern.test(value))
        throw invalidInput(
          path,
          'It must be an origin such as https://app.example.com, without a path or a star',
        )
    }),
    from: anyOption,
    connections: integerOption(1, 1000),
  },
  ['as'],
)

/**
 * Answers connections and calls until the door or the book is closed. Throws `invalid-input` with the path of a wrong
 * option.
 */
export function answerMessages(book: Daybook, options: AnswerMessagesOptions): MessageDoor {
  checkOptions(options, 'options')
  const source = options.from ?? (globalThis as unknown as MessageSource)
  if (options.from === undefined && !isWindow(source))
    throw invalidInput(
      'options.from',
      'A worker has no window: name a port, or `self` for the page that started it',
    )
  if (isWindow(source) && (options.origins ?? []).length === 0)
    throw invalidInput('options.origins', 'A window answers to named origins only')
  return new Door(book.with({ as: options.as }), source, options)
}

/** Anyone may send to this window, so the origin of each message counts. */
const isWindow = (source: MessageSource) =>
  source === (globalThis as unknown as MessageSource) && 'document' in globalThis

class Door implements MessageDoor {
  readonly #handle: Daybook
  readonly #source: MessageSource
  readonly #origins: readonly string[]
  readonly #maxConnections: number
  readonly #openConnections = new Set<Connection>()
  #unsubscribe: () => void = () => undefined
  #isClosed = false
  /** The error of an ended token. While set, new connections get this error, unless the token is valid again. */
  #tokenError: DaybookError | undefined

  constructor(
    handle: Daybook,
    source: MessageSource,
    { origins = [], connections = 32 }: AnswerMessagesOptions,
  ) {
    this.#handle = handle
    this.#source = source
    this.#origins = origins
    this.#maxConnections = connections
    this.#subscribe()
    source.addEventListener('message', this.#onMessage)
    // The port of a page that ends may send no `close` event: its clients would wait forever.
    globalThis.addEventListener?.('pagehide', this.#onHide)
    source.start?.()
  }

  get connections(): number {
    return this.#openConnections.size
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#source.removeEventListener('message', this.#onMessage)
    globalThis.removeEventListener?.('pagehide', this.#onHide)
    this.#unsubscribe()
    this.#endAll(new DaybookError('book-closed', 'The book was closed here.'))
    void this.#handle.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #subscribe(): void {
    this.#unsubscribe()
    this.#tokenError = undefined
    this.#unsubscribe = this.#handle.on('closed', ({ reason, code }) => {
      if (code !== 'unauthorized') return this.close()
      this.#tokenError = new DaybookError(code, reason)
      this.#endAll(this.#tokenError)
    })
  }

  /** A page in the back-forward cache comes back with its connections. */
  readonly #onHide = (event: Event & { readonly persisted?: boolean }) => {
    if (event.persisted !== true) this.close()
  }

  readonly #onMessage = ({ data, origin, ports: [port] }: MessageEvent) => {
    if (!isConnect(data) || !port) return
    const refusal = this.#refusalOf(data, origin)
    if (!refusal) return this.#accept(port)
    if (refusal !== this.#tokenError) return sendRefusal(port, refusal)
    void this.#checkToken().then((error) => {
      const stillRefused = error ?? this.#refusalOf(data, origin)
      if (stillRefused) sendRefusal(port, stillRefused)
      else this.#accept(port)
    })
  }

  /** Returns the error of a call if the token is still not valid. An owner who resets a wrong clock makes it valid. */
  async #checkToken(): Promise<DaybookError | undefined> {
    try {
      await this.#handle.call('access:reach', { ids: [] })
    } catch (cause) {
      const error = toDaybookError(cause)
      // With any other error, such as `forbidden`, the token is valid.
      if (error.code === 'unauthorized') return this.#tokenError ?? error
      if (error.code === 'book-closed') {
        this.close()
        return error
      }
    }
    if (this.#tokenError) this.#subscribe()
    return undefined
  }

  #accept(port: PortLike): void {
    const connection = new Connection(port, this.#handle, {
      onEnd: () => this.#openConnections.delete(connection),
      onBookClosed: () => this.close(),
    })
    this.#openConnections.add(connection)
  }

  #endAll(error: DaybookError): void {
    for (const connection of this.#openConnections) connection.end(error)
    this.#openConnections.clear()
  }

  /** The reason to refuse a connection from `origin`, which is empty for a worker or port; undefined: accept it. */
  #refusalOf({ version }: { readonly version?: unknown }, origin: string): DaybookError | undefined {
    const isAllowed = origin === '' ? !isWindow(this.#source) : this.#origins.includes(origin)
    if (!isAllowed)
      return new DaybookError('forbidden', 'Pages of this origin may not connect.', {
        details: { origin, reason: 'origin' },
      })
    if (this.#tokenError) return this.#tokenError
    if (version !== messageVersion)
      return new DaybookError('protocol-error', `Version ${messageVersion} of the messages is needed.`, {
        details: { path: 'version' },
      })
    if (this.#openConnections.size < this.#maxConnections) return undefined
    return new DaybookError('rate-limited', `${this.#maxConnections} connections are open.`, {
      details: { connections: this.#maxConnections },
    })
  }
}

function sendRefusal(port: PortLike, error: DaybookError): void {
  const message: ConnectionMessage = { daybook: 'refused', error: error.toJSON() }
  port.postMessage(message)
  port.close()
}

interface ConnectionHooks {
  /** Called when the connection ended. */
  onEnd(): void
  /** Called when a call failed because the book was closed. */
  onBookClosed(): void
}

class Connection {
  readonly #port: PortLike
  readonly #book: Daybook
  readonly #hooks: ConnectionHooks
  readonly #calls = new Map<string, AbortController>()
  #isEnded = false

  constructor(port: PortLike, book: Daybook, hooks: ConnectionHooks) {
    this.#port = port
    this.#book = book
    this.#hooks = hooks
    port.addEventListener('message', (event) => void this.#receive(event))
    port.addEventListener('messageerror', () =>
      this.#send(errorAnswer(null, invalidInput('message', 'It could not be read'))),
    )
    port.addEventListener('close', () => this.#disconnect())
    port.start()
    port.postMessage({ daybook: 'connected', version: messageVersion } satisfies ConnectionMessage)
  }

  end(error: DaybookError): void {
    if (this.#isEnded) return
    this.#port.postMessage({ daybook: 'closed', error: error.toJSON() } satisfies ConnectionMessage)
    this.#disconnect()
  }

  /** Ends the connection, and cancels its calls. */
  #disconnect(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    for (const call of this.#calls.values()) call.abort()
    this.#calls.clear()
    this.#port.close()
    this.#hooks.onEnd()
  }

  #send(answer: CallAnswer): void {
    if (!this.#isEnded) this.#port.postMessage(answer)
  }

  async #receive({ data, ports }: MessageEvent): Promise<void> {
    // Close unexpected ports: an open port keeps its window in memory.
    for (const port of ports) port.close()
    if (isLeave(data)) return this.#disconnect()
    const id = idOf(data)
    try {
      assertMessageSize(data)
      const request = parseMessage(data)
      if ('cancel' in request) return this.#calls.get(request.cancel)?.abort()
      if (ports.length > 0) throw invalidInput('ports', 'A call brings no ports')
      this.#send({ id: request.id, ok: true, answer: await this.#run(request) })
    } catch (error) {
      this.#send(errorAnswer(id, error))
      if (isDaybookError(error, 'book-closed')) this.#hooks.onBookClosed()
    }
  }

  async #run({ id, capability, input, ...callOptions }: CallRequest): Promise<unknown> {
    if (this.#calls.has(id)) throw invalidInput('id', 'A call of that id has no answer yet')
    if (this.#calls.size >= maxPendingCalls)
      throw new DaybookError('rate-limited', `${maxPendingCalls} calls have no answer yet.`, {
        details: { calls: maxPendingCalls },
      })
    const call = new AbortController()
    this.#calls.set(id, call)
    try {
      const options: BookCallOptions = { ...callOptions, signal: call.signal }
      return await this.#book.call(capability as string & {}, input, options)
    } finally {
      this.#calls.delete(id)
    }
  }
}

const shortText = textOption(200)
const checkCall = optionsOf<CallRequest>(
  {
    id: shortText,
    capability: shortText,
    input: anyOption,
    requestId: shortText,
    purpose: shortText,
    receipt: shortText,
  },
  ['id', 'capability'],
)
const checkCancel = optionsOf<{ readonly cancel: string }>({ cancel: shortText }, ['cancel'])

/** Parses a message of the other side. Throws `invalid-input` with the path of the error. */
function parseMessage(data: unknown): CallRequest | { readonly cancel: string } {
  checkJson(data)
  if (isJsonObject(data) && 'cancel' in data) {
    checkCancel(data, '')
    return data as unknown as { readonly cancel: string }
  }
  checkCall(data, '')
  return data as unknown as CallRequest
}

/** Returns the id of a message, also of an invalid message. Null: the message has no valid id. */
function idOf(data: unknown): string | null {
  const id = isJsonObject(data) ? data['id'] : undefined
  return typeof id === 'string' && id.length <= 200 ? id : null
}

function errorAnswer(id: string | null, error: unknown): CallAnswer {
  const fault = toDaybookError(error)
  const publicError = isDaybookError(fault, 'internal') ? new DaybookError('internal') : fault
  return { id, ok: false, error: publicError.toJSON() }
}
