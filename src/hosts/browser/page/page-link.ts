// Runs each call of a page until it has an outcome, over all workers of the page.
// Invariant: a call that a sleep cut is repeated only if it can't take effect twice; otherwise it ends with
// `owner-changed`. So a write gets a requestId if the page may be put to sleep, or another tab is the owner.
// An owner's calls for a visible page need no requestId, which is cheaper.
import { checkAborted, neverAborted } from '../../../core/abort.ts'
import { defined } from '../../../core/defined.ts'
import type { BookCallOptions } from '../../../book/call-options.ts'
import type { ToolSource } from '../../../book/tool/tool-source.ts'
import type { CapabilityEffect } from '../../../core/capability/capability.ts'
import type { Status } from '../../../core/capability/status.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import { requestOf } from '../../../book/share/line-message.ts'
import type { BookTable } from '../../../book/book-table.ts'
import { asleep, PageWorker, type StartingWorker } from './page-worker.ts'
import type { WorkerLink } from './worker-link.ts'

export interface PageLink {
  readonly table: BookTable
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  readonly tools: ToolSource
  /** Notes whether this tab is the owner. In WebKit a hidden owner goes to sleep. */
  setOwner(isOwner: boolean): void
  close(): Promise<void>
}

/** A call of the page, independent of the worker that runs it. */
interface PageCall {
  readonly id: string
  readonly input: unknown
  /** Unique in the page, over all its workers. */
  readonly number: number
  /** An earlier worker may have run this call. */
  readonly mayBeDone: boolean
}

/** Numbers the page's calls. `open` has the numbers of calls without an outcome, in order. */
class CallNumbers {
  readonly open = new Set<number>()
  #last = 0

  next(): number {
    this.#last += 1
    return this.#last
  }

  /** The page has the outcomes of all calls below this number. */
  settled(): number {
    return this.open.values().next().value ?? this.#last + 1
  }
}

/**
 * `start` starts a worker and opens the book in it, for calls with numbers above `first`, which the worker uses for
 * its own call; `ended` is called when the book is lost without `close`. `page` names the page in the requestIds
 * of calls.
 */
export async function openPageLink(
  page: string,
  start: (first: number) => StartingWorker,
  ended: (reason: DaybookError) => void,
): Promise<PageLink> {
  const numbers = new CallNumbers()
  const worker = new PageWorker({
    start: () => start(numbers.next()),
    ended,
    ask: async (link) => {
      const number = numbers.next()
      return (await link.call('daybook:status', {}, { number, settled: numbers.settled() })) as Status
    },
  })
  const table = await worker.opened()
  const effects = new Map(table.methods.map(([, id, effect]) => [id, effect]))
  const calls = new PageCalls({ page, worker, numbers, effects })
  return {
    table,
    call: (id, input, options) => calls.make(id, input, options),
    tools: toolsOf(worker),
    setOwner(isOwner) {
      worker.follows(!isOwner)
      // A hidden page may sleep now: see `rest`.
      if (isOwner) worker.rest()
    },
    async close() {
      // Calls of this task are sent at its end: the worker gets them before it closes the book.
      if (numbers.open.size > 0) await new Promise((resolve) => setTimeout(resolve))
      await worker.close()
    },
  }
}

/**
 * Tools of the current worker. A tool that a sleep cut ends with `owner-changed`, because a part of its work
 * may be done.
 */
function toolsOf(worker: PageWorker): ToolSource {
  const withTools = async <Value>(work: (tools: ToolSource) => Promise<Value>) => {
    try {
      return await work((await worker.awake(neverAborted)).tools)
    } finally {
      worker.rest()
    }
  }
  return {
    list: (sets) => withTools((tools) => tools.list(sets)),
    run: (sets, name, input, call) => withTools((tools) => tools.run(sets, name, input, call)),
  }
}

interface PageCallsParts {
  readonly page: string
  readonly worker: PageWorker
  readonly numbers: CallNumbers
  readonly effects: ReadonlyMap<string, CapabilityEffect>
}

class PageCalls {
  readonly #parts: PageCallsParts

  constructor(parts: PageCallsParts) {
    this.#parts = parts
  }

  async make(id: string, input: unknown, options: BookCallOptions): Promise<unknown> {
    const { worker, numbers } = this.#parts
    checkAborted(options.signal ?? neverAborted)
    const number = numbers.next()
    numbers.open.add(number)
    try {
      const answer = await this.#settle({ id, input, number, mayBeDone: false }, options)
      if (id === 'daybook:status') worker.follows(!(answer as Status).owner)
      return answer
    } finally {
      numbers.open.delete(number)
      worker.rest()
    }
  }

  /**
   * Runs a call until it has an outcome, and repeats it after a sleep if the invariant allows. The deadline
   * doesn't count the sleep.
   */
  async #settle(call: PageCall, callOptions: BookCallOptions): Promise<unknown> {
    const { worker, numbers, effects } = this.#parts
    const { id, input, number } = call
    // A `task` may have several transactions, so it is never repeated here.
    const effect = effects.get(id)
    const link = await this.#awake(call, callOptions)
    const options = this.#named(call, callOptions)
    const beganMs = performance.now()
    try {
      return await link.call(id, input, { ...options, number, settled: numbers.settled() })
    } catch (error) {
      if (effect && effect !== 'read' && isGivenUp(error, options)) throw mayHaveBegun(error, options)
      // An error of the call itself, not of a sleep.
      if (worker.isClosed || worker.isCurrent(link) || !isCut(error)) throw error
      // Either the requestId makes the write take effect once, or `book-closed` says that it never began.
      const isHarmless = options.requestId !== undefined || isDaybookError(error, 'book-closed')
      if (effect !== 'read' && !(effect === 'write' && isHarmless)) throw asleep
      const rest = withoutTime(options, performance.now() - beganMs)
      return this.#settle({ ...call, mayBeDone: effect === 'write' }, rest)
    }
  }

  /**
   * The worker for a call. If an earlier worker may have run the call, a failure here is `asleep`, which
   * means "maybe done".
   */
  async #awake({ mayBeDone }: PageCall, options: BookCallOptions): Promise<WorkerLink> {
    try {
      return await this.#parts.worker.awake(options.signal ?? neverAborted)
    } catch (error) {
      if (!mayBeDone) throw error
      throw isGivenUp(error, options) ? mayHaveBegun(error, options) : asleep
    }
  }

  /** Adds a requestId to a write that may be cut, so that it can be repeated. */
  #named({ id, number }: PageCall, options: BookCallOptions): BookCallOptions {
    const { page, worker, effects } = this.#parts
    if (options.requestId !== undefined || effects.get(id) !== 'write' || !worker.mayStop) return options
    return { ...options, requestId: requestOf(page, number) }
  }
}

/** Whether the caller gave up the call, by its signal or its deadline, and the worker did not end it. */
const isGivenUp = (error: unknown, { signal, deadlineMs }: BookCallOptions): error is DaybookError =>
  isDaybookError(error, 'aborted')
    ? signal?.aborted === true
    : isDaybookError(error, 'deadline-exceeded') && error.details['deadlineMs'] === deadlineMs

/** The error of a call that was sent before the caller gave it up. */
function mayHaveBegun({ code, details, cause }: DaybookError, { requestId }: BookCallOptions): DaybookError {
  return new DaybookError(code, 'The caller gave up. The call may have started.', {
    details: { ...details, mayHaveBegun: true, ...defined({ requestId }) },
    cause,
  })
}

/** Whether the call ended because its worker or the owner tab ended. */
const isCut = (error: unknown) =>
  error === asleep || isDaybookError(error, 'book-closed') || isDaybookError(error, 'owner-changed')

function withoutTime(options: BookCallOptions, passedMs: number): BookCallOptions {
  const { deadlineMs } = options
  return deadlineMs === undefined ? options : { ...options, deadlineMs: Math.max(1, deadlineMs - passedMs) }
}
