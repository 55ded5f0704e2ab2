// Sends the page's calls to its worker, with deadlines, and watches whether the worker lives.
// Invariant: every call settles. When the worker dies, every waiting call rejects with `engine-died`.
import type { BookTable } from '../../../book/book-table.ts'
import { failedReply, type Reply, type CallMessage } from '../../../book/share/line-message.ts'
import { proxy, type ProxyMarked, releaseProxy, transfer, wrap } from 'comlink'
import { orAborted } from '../../../core/abort.ts'
import { product } from '../../../bundle/format/product.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { copyJson } from '../../../core/json/copy-json.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import { type BookCallOptions, carriedOf } from '../../../book/call-options.ts'
import type { ToolOutcome, ToolSource, ToolText } from '../../../book/tool/tool-source.ts'
import {
  aliveLock,
  type OpenRequest,
  type PageDoor,
  type PageOffer,
  type PageOffers,
  type ToolVerb,
  type WorkerDoor,
} from '../worker-message.ts'
import type { PageEmbedder } from '../model/page-embedder.ts'
import { Deadlines } from './deadlines.ts'
import { assetsHint } from '../page-script.ts'

export interface NumberedOptions extends BookCallOptions {
  /** Number of the call; unique in its page. */
  readonly number: number
  /** The page has the outcomes of all calls below this number. */
  readonly settled: number
}

/** An `OpenRequest` without `offers` and `version`, which `WorkerLink.open` adds. */
export type LinkRequest = Omit<OpenRequest, 'offers' | 'version'>

/** Parts of the page that can't be sent to the worker. */
export interface PageParts extends Partial<Pick<PageOffers, 'syncKey' | 'embedderKey' | 'model'>> {
  /** Starts and ends the worker of a local embedding model. */
  readonly modelWorker?: PageEmbedder
}

/** Longest opening, which may wait for a lock, and for files that a closing page still has open. */
const openDeadlineMs = 20_000
const closeDeadlineMs = 3000

export class WorkerLink {
  /** Resolves with the reason when the worker has ended: by `close`, by `cut` or by a crash. */
  readonly closed: Promise<DaybookError>
  /** The tools for models. The worker runs a tool, and calls the page for each verb of the tool. */
  readonly tools: ToolSource
  readonly #worker: Worker
  readonly #joinHub: () => MessagePort | undefined
  readonly #remote: RemoteDoor
  readonly #resolveClosed: (error: DaybookError) => void
  /**
   * Rejects each waiting call when the worker ends. A race with `closed` instead would keep every call in
   * memory.
   */
  readonly #waiting = new Set<(error: DaybookError) => void>()
  /** Ends the request for the worker's lock. */
  readonly #watching = new AbortController()
  readonly #batches: CallBatches
  readonly #deadlines = new Deadlines()
  #endError: DaybookError | undefined

  /** `joinHub` returns a port to the hub of this origin's tabs, if there is one. */
  constructor(worker: Worker, joinHub: () => MessagePort | undefined) {
    this.#worker = worker
    this.#joinHub = joinHub
    this.#remote = openDoor(worker)
    const { promise, resolve } = Promise.withResolvers<DaybookError>()
    this.closed = promise
    this.#resolveClosed = resolve
    this.#batches = new CallBatches((id, calls, settled) => this.#running().call(id, calls, settled))
    this.tools = {
      list: async (sets) => {
        const listing = this.#running().listTools(sets)
        return valueOf(await this.#answered<Reply<readonly ToolText[]>>(listing))
      },
      run: (sets, name, input, call) => this.#runTool(sets, name, input, call),
    }
    this.#watchErrors()
  }

  /**
   * Opens the book; `listener` gets its events. Resolves with the names of the book's methods and kinds. Rejects with
   * the worker's error, or `deadline-exceeded` after 20 seconds.
   */
  async open(
    request: LinkRequest,
    listener: (event: BookEvent) => void,
    parts: PageParts = {},
  ): Promise<BookTable> {
    const { modelWorker } = parts
    if (modelWorker) void this.closed.then(modelWorker.end)
    // The worker can't see which functions exist behind Comlink's proxy, so it gets their names.
    const offers = Object.keys(parts) as PageOffer[]
    const page = doorOf({ ...parts, hear: listener, joinHub: handOverHub(this.#joinHub) })
    const reply = await this.#answered<Reply<BookTable>>(
      this.#remote.open({ ...request, offers, version: product.version }, page),
      openDeadlineMs,
    )
    if (!reply.ok) throw DaybookError.from(reply.error)
    // The lock is granted only when the worker has ended. A terminated worker sends no event, so this lock is
    // the only sign.
    void navigator.locks
      .request(aliveLock(request.tab), { signal: this.#watching.signal }, () =>
        this.cut(new DaybookError('engine-died')),
      )
      .catch(() => undefined)
    return reply.value as BookTable
  }

  call(id: string, input: unknown, options: NumberedOptions): Promise<unknown> {
    if (this.#endError) return Promise.reject(this.#endError)
    const { number, settled, signal, deadlineMs } = options
    const message = { ...carriedOf(options), number, input }
    const timed = this.#answered(this.#batches.add(id, message, settled), deadlineMs)
    const call = signal ? orAborted(timed, signal) : timed
    return call.catch((error: unknown) => {
      // The caller has its error: the worker must not send the call to another tab later.
      if (!this.#endError && (signal?.aborted || isDaybookError(error, 'deadline-exceeded')))
        void this.#remote.abort(message.number)
      throw error
    })
  }

  allowBackground(isAllowed: boolean): void {
    if (!this.#endError) void this.#remote.allowBackground(isAllowed)
  }

  /**
   * Hands over changes that wait for the mirror to the service worker. False without such changes, or if the
   * worker has ended.
   */
  async spill(): Promise<boolean> {
    return this.#endError ? false : this.#answered(this.#remote.spill()).catch(() => false)
  }

  /** Whether a call has no answer yet. */
  isBusy(): boolean {
    return this.#waiting.size > 0
  }

  /**
   * Closes the book, then ends the worker; waits 3 seconds at most. Calls without an answer reject with
   * `asleep`, by default with `book-closed`.
   */
  async close(asleep?: DaybookError): Promise<void> {
    if (this.#endError) return
    await this.#answered(this.#remote.close(asleep !== undefined), closeDeadlineMs).catch(() => undefined)
    this.#remote.release()
    this.cut(asleep ?? new DaybookError('book-closed'))
  }

  /** Ends the worker at once; pending calls reject with `reason`. */
  cut(reason: DaybookError): void {
    if (this.#endError) return
    this.#endError = reason
    this.#worker.terminate()
    this.#watching.abort()
    for (const reject of this.#waiting) reject(reason)
    this.#waiting.clear()
    this.#resolveClosed(reason)
  }

  #watchErrors(): void {
    this.#worker.addEventListener('error', ({ message, filename }) => {
      const text = message
        ? `The worker failed: ${message}. `
        : `The script of the worker could not be loaded. ${assetsHint}`
      this.cut(new DaybookError('engine-died', text, { details: { script: filename } }))
    })
    this.#worker.addEventListener('message', ({ data }: MessageEvent<{ missing?: string } | undefined>) => {
      // The engine's file could not be loaded: see `worker.ts`.
      const reason = data?.missing
      if (reason !== undefined)
        this.cut(new DaybookError('part-unavailable', undefined, { details: { part: 'worker', reason } }))
    })
    this.#worker.addEventListener('messageerror', () =>
      this.cut(new DaybookError('engine-died', 'A message of the worker could not be read.')),
    )
  }

  /**
   * The worker's methods. Throws the reason if the worker has ended, because a released proxy throws an unclear
   * error.
   */
  #running(): RemoteDoor {
    if (this.#endError) throw this.#endError
    return this.#remote
  }

  /** Settles like `work`, but rejects when the worker has ended or `deadlineMs` have passed. */
  #answered<Result>(work: Promise<Result>, deadlineMs?: number): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#endError) return reject(this.#endError)
      this.#waiting.add(reject)
      const late = () => reject(new DaybookError('deadline-exceeded', undefined, { details: { deadlineMs } }))
      const cancel = deadlineMs === undefined ? undefined : this.#deadlines.add(deadlineMs, late)
      const answering =
        <Value>(answer: (value: Value) => void) =>
        (value: Value) => {
          this.#waiting.delete(reject)
          cancel?.()
          answer(value)
        }
      work.then(answering(resolve), answering(reject))
    })
  }

  async #runTool(...[sets, name, input, call]: Parameters<ToolSource['run']>): Promise<ToolOutcome> {
    const verb: ToolVerb = (id, content, step) =>
      call(id, content, step).then((value) => ({ ok: true, value }), failedReply)
    const run = this.#answered<Reply<ToolOutcome>>(this.#running().runTool(sets, name, input, proxy(verb)))
    return valueOf(
      await run.catch((error: unknown) => {
        throw sendFailure(error)
      }),
    )
  }
}

/**
 * The worker's methods, each read once. Comlink makes a proxy with a finalizer at each read of a method. A
 * finalizer of a collected proxy would close the port during calls, and evict the page from the back-forward
 * cache.
 */
function openDoor(worker: Worker) {
  const remote = wrap<WorkerDoor>(worker)
  const { open, call, abort, listTools, runTool, allowBackground, spill, close } = remote
  const release = () => remote[releaseProxy]()
  return { open, call, abort, listTools, runTool, allowBackground, spill, close, release }
}

type RemoteDoor = ReturnType<typeof openDoor>

function valueOf<Value>(reply: Reply<Value>): Value {
  if (reply.ok) return reply.value
  throw DaybookError.from(reply.error)
}

/** Transfers the port of the hub instead of copying it; a port can't be copied. */
const handOverHub = (joinHub: () => MessagePort | undefined) => (): Promise<MessagePort | undefined> => {
  const port = joinHub()
  return Promise.resolve(port && transfer(port, [port]))
}

/** Comlink's types describe the worker's view of this object, so a cast is needed. */
const doorOf = (page: PageParts & Pick<PageDoor, 'hear' | 'joinHub'>) =>
  proxy(page) as unknown as PageDoor & ProxyMarked

// Collects the calls of one capability in the current task and sends them together, so that writes share a
// transaction.
// Invariant: a call that can't be cloned doesn't stop the others.

interface Waiting {
  /** The page has the outcomes of all calls below this number. */
  readonly settled: number
  readonly message: CallMessage
  readonly isCopy?: boolean
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Send = (id: string, calls: readonly CallMessage[], settled: number) => Promise<Reply[]>

class CallBatches {
  readonly #send: Send
  /** The open batch of each capability; sent at the end of the current task. */
  readonly #open = new Map<string, Waiting[]>()

  constructor(send: Send) {
    this.#send = send
  }

  add(id: string, message: CallMessage, settled: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = { settled, message, resolve, reject }
      const batch = this.#open.get(id)
      if (batch) return void batch.push(waiting)
      const newBatch = [waiting]
      this.#open.set(id, newBatch)
      queueMicrotask(() => {
        this.#open.delete(id)
        void this.#make(id, newBatch)
      })
    })
  }

  async #make(id: string, batch: readonly Waiting[]): Promise<void> {
    try {
      const calls = batch.map(({ message }) => message)
      // The number only grows, so the first call's is true for all calls.
      const replies = await this.#send(id, calls, batch[0]?.settled ?? 0)
      batch.forEach((waiting, i) => settle(waiting, replies[i]))
    } catch (error) {
      const [first] = batch
      if (batch.length > 1 && isUnsent(error)) for (const one of batch) void this.#make(id, [one])
      else if (first && isUnsent(error) && !first.isCopy) this.#sendCopy(id, first)
      else for (const { reject } of batch) reject(sendFailure(error))
    }
  }

  /** Sends a copy of a call that couldn't be cloned: a proxy, such as a reactive object, is sent as plain JSON. */
  #sendCopy(id: string, waiting: Waiting): void {
    try {
      const { input, ...options } = waiting.message
      const message = { ...(copyJson(options) as CallMessage), input: copyJson(input, true) }
      void this.#make(id, [{ ...waiting, message, isCopy: true }])
    } catch (error) {
      waiting.reject(error)
    }
  }
}

function settle({ resolve, reject }: Waiting, reply: Reply | undefined): void {
  if (!reply) reject(new DaybookError('internal', 'The worker left a call without an answer.'))
  else if (reply.ok) resolve(reply.value)
  else reject(DaybookError.from(reply.error))
}

/**
 * Whether the call was never sent. The worker answers with values, so an error that isn't a `DaybookError`
 * was thrown when the browser cloned the call.
 */
const isUnsent = (error: unknown): boolean => !isDaybookError(error)

/** The error for the caller: `invalid-input` if the input couldn't be cloned. */
function sendFailure(error: unknown): unknown {
  if (!isUnsent(error)) return error
  const reason = error instanceof Error ? error.message : ''
  return new DaybookError('invalid-input', `The input is not plain JSON: ${reason}.`, {
    details: { path: '' },
    cause: error,
  })
}
