// The page's end of the wire to its worker: deadlines and supervision.
// Invariant: every call settles. When the worker dies, everything that waits is rejected with `engine-died`.
import { failed, type Reply } from '../../../book/share/line-message.ts'
import { proxy, type ProxyMarked, type Remote, releaseProxy, transfer, wrap } from 'comlink'
import { orAborted } from '../../../core/abort.ts'
import { product } from '../../../bundle/format/product.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import { type BookCallOptions, carriedOf } from '../../../book/call-options.ts'
import type { ToolOutcome, ToolSource, ToolText } from '../../../book/tool/tool-source.ts'
import {
  aliveLock,
  type MethodRow,
  type OpenRequest,
  type PageDoor,
  type PageOffer,
  type PageOffers,
  type ToolVerb,
  type WorkerDoor,
} from '../wire/message.ts'
import type { PageEmbedder } from '../model/page-embedder.ts'
import { CallBatches, sendFailure } from './call-batch.ts'
import { assetsHint } from '../script/page-script.ts'

export interface NumberedOptions extends BookCallOptions {
  /** Names the call in its page. */
  readonly number: number
  /** The page has the outcomes of all calls below this number. */
  readonly settled: number
}

export interface WorkerLink {
  /** Opens the book; `listener` hears what happens in it. */
  open(request: LinkRequest, listener: (event: BookEvent) => void, given?: PageGiven): Promise<MethodRow[]>
  call(id: string, input: unknown, options: NumberedOptions): Promise<unknown>
  /** The tools for models, whose verbs the page runs. */
  readonly tools: ToolSource
  readonly allowBackground: (isAllowed: boolean) => void
  /** Has what waits for the mirror handed over; false too when nobody is there any more. */
  spill(): Promise<boolean>
  /** Lets the worker finish what it has, then ends it; what is left is rejected with `asleep` when its page sleeps. */
  close(asleep?: DaybookError): Promise<void>
  /** Some call has no answer yet. */
  isBusy(): boolean
  /** Ends the worker on the spot; what waits for it is rejected with `reason`. */
  cut(reason: DaybookError): void
  /** Resolves with the reason when the worker is gone, by `close` or by itself. */
  readonly gone: Promise<DaybookError>
}

/** What the page says of the book it opens; what it offers, and its version, the link sees itself. */
export type LinkRequest = Omit<OpenRequest, 'offers' | 'version'>

/** What the page has that can't be sent. */
export interface PageGiven extends Partial<Pick<PageOffers, 'syncKey' | 'embedderKey' | 'model'>> {
  /** Starts and ends the worker of a local embedding model. */
  readonly modelWorker?: PageEmbedder
}

/** Opening may wait for a lock and for handles of a page that is going away. */
const openDeadlineMs = 20_000
const closeDeadlineMs = 3000

/** `joinHub` gives a port to where the tabs of this site are brought together, where there is such a place. */
export function createWorkerLink(worker: Worker, joinHub: () => MessagePort | undefined): WorkerLink {
  // Pinned here: Comlink closes the port once every proxy of it is garbage, calls in flight or not.
  const remote: Remote<WorkerDoor> = wrap<WorkerDoor>(worker)
  const { promise: gone, resolve: tellGone } = Promise.withResolvers<DaybookError>()
  // Not a race with `gone`: a promise that outlives every call would remember every call.
  const waiting = new Set<(error: DaybookError) => void>()
  const watching = new AbortController()
  let ended: DaybookError | undefined
  const lose = (error: DaybookError) => {
    if (ended) return
    ended = error
    worker.terminate()
    watching.abort()
    for (const reject of waiting) reject(error)
    waiting.clear()
    tellGone(error)
  }
  /** `work`, or a rejection when the worker is gone or `deadlineMs` have passed. */
  const answered = <Result>(work: Promise<Result>, deadlineMs?: number): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended)
      waiting.add(reject)
      const late = () => reject(new DaybookError('deadline-exceeded', undefined, { details: { deadlineMs } }))
      const timer = deadlineMs === undefined ? undefined : setTimeout(late, deadlineMs)
      work.then(resolve, reject).finally(() => {
        waiting.delete(reject)
        clearTimeout(timer)
      })
    })
  worker.addEventListener('error', (event) => {
    const what = event.message
      ? `The worker failed: ${event.message}.`
      : 'The script of the worker could not be loaded.'
    lose(
      new DaybookError('engine-died', `${what} ${event.message ? '' : assetsHint}`, {
        details: { script: event.filename },
      }),
    )
  })
  worker.addEventListener('messageerror', () =>
    lose(new DaybookError('engine-died', 'A message of the worker could not be read.')),
  )

  /** The worker; throws when it is gone, for whoever comes late: a proxy that was let go of says nothing that a caller knows. */
  const there = () => {
    if (ended) throw ended
    return remote
  }
  const batches = new CallBatches((id, calls, settled) => there().call(id, calls, settled))

  return {
    gone,
    cut: lose,
    isBusy: () => waiting.size > 0,
    tools: {
      list: async (sets) => valueOf(await answered<Reply<readonly ToolText[]>>(there().listTools(sets))),
      async run(sets, name, input, call) {
        const verb: ToolVerb = (id, given, step) =>
          call(id, given, step).then((value) => ({ ok: true, value }), failed)
        const run = answered<Reply<ToolOutcome>>(there().runTool(sets, name, input, proxy(verb)))
        return valueOf(
          await run.catch((error: unknown) => {
            throw sendFailure(error)
          }),
        )
      },
    },
    allowBackground(isAllowed) {
      if (!ended) void remote.allowBackground(isAllowed)
    },
    spill: async () => (ended ? false : answered(remote.spill()).catch(() => false)),
    async open(request, listener, given = {}) {
      const { modelWorker } = given
      if (modelWorker) void gone.then(modelWorker.end)
      const offers = Object.keys(given) as PageOffer[]
      const page = doorOf({ ...given, hear: listener, joinHub: handOverHub(joinHub) })
      const reply = await answered<Reply<MethodRow[]>>(
        remote.open({ ...request, offers, version: product.version }, page),
        openDeadlineMs,
      )
      if (!reply.ok) throw DaybookError.from(reply.error)
      // Granted only when the worker no longer holds it: the one sign of a worker that was terminated.
      void navigator.locks
        .request(aliveLock(request.tab), { signal: watching.signal }, () =>
          lose(new DaybookError('engine-died')),
        )
        .catch(() => undefined)
      return reply.value as MethodRow[]
    },
    call(id, input, options) {
      if (ended) return Promise.reject(ended)
      const { number, settled, signal, deadlineMs } = options
      const message = { ...carriedOf(options), number, input }
      const timed = answered(batches.add(id, message, settled), deadlineMs)
      const call = signal ? orAborted(timed, signal) : timed
      return call.catch((error: unknown) => {
        // Nobody waits for it any more: it must not be sent to another tab later.
        if (!ended && (signal?.aborted || isDaybookError(error, 'deadline-exceeded')))
          void remote.abort(message.number)
        throw error
      })
    },
    async close(asleep) {
      if (ended) return
      await answered(remote.close(asleep !== undefined), closeDeadlineMs).catch(() => undefined)
      remote[releaseProxy]()
      lose(asleep ?? new DaybookError('book-closed'))
    },
  }
}

function valueOf<Value>(reply: Reply<Value>): Value {
  if (reply.ok) return reply.value
  throw DaybookError.from(reply.error)
}

/** A port goes over once: it is the worker's then. */
const handOverHub = (joinHub: () => MessagePort | undefined) => (): Promise<MessagePort | undefined> => {
  const port = joinHub()
  return Promise.resolve(port && transfer(port, [port]))
}

/** Comlink types what a proxy answers as the far side gets it. */
const doorOf = (page: PageGiven & Pick<PageDoor, 'hear' | 'joinHub'>) =>
  proxy(page) as unknown as PageDoor & ProxyMarked
