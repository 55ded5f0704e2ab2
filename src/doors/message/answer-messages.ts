// Lets other windows, frames, workers and extensions use an open book over `postMessage`.
// Invariant: a window serves only pages of `origins`. Calls have the rights of the token `as`. An invalid message
// changes nothing.
import type { BookCallOptions, Daybook } from '../../book/daybook.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import { checkJson } from '../../core/json/json.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { anyOption, listOption, optionsOf, textOption, wholeOption } from '../../core/option-check.ts'
import {
  type CallAnswer,
  type CallRequest,
  checkSize,
  isConnect,
  isLeave,
  messageVersion,
  mostCalls,
  type PortLike,
  type Welcome,
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
   * because this page chose the source.
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

const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s*@]+$/
const checkOptions = optionsOf<AnswerMessagesOptions>(
  {
    as: textOption(1000),
    origins: listOption((value, path) => {
      if (typeof value !== 'string' || !origin.test(value))
        throw wrong(path, 'It must be an origin such as https://app.example.com, without a path or a star')
    }),
    from: anyOption,
    connections: wholeOption(1, 1000),
  },
  ['as'],
)

/**
 * Answers connections and calls until the door or the book is closed. Throws `invalid-input` with the path of a wrong
 * option.
 */
export function answerMessages(book: Daybook, options: AnswerMessagesOptions): MessageDoor {
  checkOptions(options, 'options')
  const { as, origins = [], connections: most = 32 } = options
  const isOwn = options.from !== undefined && options.from !== (globalThis as unknown)
  const from = options.from ?? (globalThis as unknown as MessageSource)
  if (!isOwn && origins.length === 0) throw wrong('options.origins', 'A window answers to named origins only')
  const handle = book.with({ as })
  const open = new Set<Connection>()
  let isClosed = false
  /** The error of an ended token. While set, new connections get this error. */
  let ended: DaybookError | undefined
  const close = () => {
    if (isClosed) return
    isClosed = true
    from.removeEventListener('message', listen)
    globalThis.removeEventListener?.('pagehide', hidden)
    stop()
    endAll(new DaybookError('book-closed', 'The book was closed here.'))
    void handle.close()
  }
  /** A page in the back-forward cache comes back with its connections. */
  const hidden = (event: Event & { readonly persisted?: boolean }) => {
    if (event.persisted !== true) close()
  }
  const endAll = (error: DaybookError) => {
    for (const one of open) one.end(error)
    open.clear()
  }
  const stop = handle.on('closed', ({ reason, code }) => {
    if (code !== 'unauthorized') return close()
    ended = new DaybookError(code, reason)
    endAll(ended)
  })
  const listen = ({ data, origin: sender, ports: [port] }: MessageEvent) => {
    if (!isConnect(data) || !port) return
    const refused = refusal(data, sender)
    if (refused) return refuse(port, refused)
    const connection = new Connection(port, handle, { ended: () => open.delete(connection), closed: close })
    open.add(connection)
  }
  const refusal = ({ version }: { readonly version?: unknown }, sender: string) => {
    const isKnown = sender === '' ? isOwn : origins.includes(sender)
    if (!isKnown)
      return new DaybookError('forbidden', 'Pages of this origin may not connect.', {
        details: { origin: sender, reason: 'origin' },
      })
    if (ended) return ended
    if (version !== messageVersion)
      return new DaybookError('protocol-error', `Version ${messageVersion} of the messages is needed.`, {
        details: { path: 'version' },
      })
    return open.size < most
      ? undefined
      : new DaybookError('rate-limited', `${most} connections are open.`, { details: { connections: most } })
  }
  from.addEventListener('message', listen)
  // The port of a page that ends may send no `close` event: its clients would wait forever.
  globalThis.addEventListener?.('pagehide', hidden)
  from.start?.()
  return {
    get connections() {
      return open.size
    },
    close,
    [Symbol.dispose]: close,
  }
}

function refuse(port: PortLike, error: DaybookError): void {
  const refused: Welcome = { daybook: 'refused', error: error.toJSON() }
  port.postMessage(refused)
  port.close()
}

interface ConnectionHooks {
  /** Called when the connection ended. */
  ended(): void
  /** Called when the book was closed. */
  closed(): void
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
      this.#send(failed(null, wrong('message', 'It could not be read'))),
    )
    port.addEventListener('close', () => this.#leave())
    port.start()
    port.postMessage({ daybook: 'connected', version: messageVersion } satisfies Welcome)
  }

  end(error: DaybookError): void {
    if (this.#isEnded) return
    this.#port.postMessage({ daybook: 'closed', error: error.toJSON() } satisfies Welcome)
    this.#leave()
  }

  /** Ends the connection, and cancels its calls. */
  #leave(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    for (const call of this.#calls.values()) call.abort()
    this.#calls.clear()
    this.#port.close()
    this.#hooks.ended()
  }

  #send(answer: CallAnswer): void {
    if (!this.#isEnded) this.#port.postMessage(answer)
  }

  async #receive({ data, ports }: MessageEvent): Promise<void> {
    // Close unexpected ports: an open port keeps its window in memory.
    for (const port of ports) port.close()
    if (isLeave(data)) return this.#leave()
    const id = idOf(data)
    try {
      checkSize(data)
      const request = readMessage(data)
      if ('cancel' in request) return this.#calls.get(request.cancel)?.abort()
      if (ports.length > 0) throw wrong('ports', 'A call brings no ports')
      this.#send({ id: request.id, ok: true, answer: await this.#run(request) })
    } catch (error) {
      this.#send(failed(id, error))
      if (isDaybookError(error, 'book-closed')) this.#hooks.closed()
    }
  }

  async #run({ id, capability, input, ...named }: CallRequest): Promise<unknown> {
    if (this.#calls.has(id)) throw wrong('id', 'A call of that id has no answer yet')
    if (this.#calls.size >= mostCalls)
      throw new DaybookError('rate-limited', `${mostCalls} calls have no answer yet.`, {
        details: { calls: mostCalls },
      })
    const call = new AbortController()
    this.#calls.set(id, call)
    try {
      const options: BookCallOptions = { ...named, signal: call.signal }
      return await this.#book.call(capability as string & {}, input, options)
    } finally {
      this.#calls.delete(id)
    }
  }
}

const name = textOption(200)
const checkCall = optionsOf<CallRequest>(
  { id: name, capability: name, input: anyOption, requestId: name, purpose: name, receipt: name },
  ['id', 'capability'],
)
const checkCancel = optionsOf<{ readonly cancel: string }>({ cancel: name }, ['cancel'])

/** Parses a message of the other side. Throws `invalid-input` with the path of the error. */
function readMessage(data: unknown): CallRequest | { readonly cancel: string } {
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

function failed(id: string | null, error: unknown): CallAnswer {
  const why = toDaybookError(error)
  const shown = isDaybookError(why, 'internal') ? new DaybookError('internal') : why
  return { id, ok: false, error: shown.toJSON() }
}

function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })
}
