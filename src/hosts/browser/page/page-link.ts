// A page's calls, each until its outcome is here, whichever worker of the page gives it.
// Invariant: a call that a sleep cut is made again only if that cannot do it twice; else it ends with `owner-changed`. So a
// write has a name as soon as the page may be put to sleep before its outcome is here, or another tab does it anyway; what
// the owner does for a page that is seen needs none, and is spared what a name costs.
import { type AbortSignalLike, neverAborted } from '../../../core/abort.ts'
import type { BookCallOptions } from '../../../book/call-options.ts'
import type { ToolSource } from '../../../book/tool/tool-source.ts'
import type { CapabilityEffect } from '../../../core/capability/capability.ts'
import type { Status } from '../../../core/capability/status.ts'
import { type DaybookError, isDaybookError } from '../../../core/errors.ts'
import { requestOf } from '../../../book/share/call-name.ts'
import type { MethodRow } from '../wire/message.ts'
import { asleep, PageWorker, type StartingWorker } from './page-worker.ts'
import type { WorkerLink } from './worker-link.ts'

export interface PageLink {
  readonly rows: readonly MethodRow[]
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  readonly tools: ToolSource
  /** Whether this tab is the owner: one should not stay that while it is hidden. */
  setOwner(isOwner: boolean): void
  close(): Promise<void>
}

/** One call of the page, whichever worker it is made in. */
interface PageCall {
  readonly id: string
  readonly input: unknown
  readonly number: number
  /** An earlier worker may have done it. */
  readonly mayBeDone: boolean
}

/** The numbers that name the calls of a page, and those that have no outcome yet, in their order. */
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
 * `start` begins a worker and opens the book in it, for calls with numbers above `first`; `ended` is told when the book is
 * gone though nobody closed it. `page` is what calls are named by.
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
  const rows = await worker.opened()
  const effects = new Map(rows.map(([, id, effect]) => [id, effect]))
  const calls = new PageCalls({ page, worker, numbers, effects })
  return {
    rows,
    call: (id, input, options) => calls.make(id, input, options),
    tools: toolsOf(worker),
    setOwner(isOwner) {
      worker.follows(!isOwner)
      if (isOwner) worker.rest()
    },
    close: () => worker.close(),
  }
}

/** The tools of whichever worker the page has. One that a sleep cut may have done a part: it ends with `owner-changed`. */
function toolsOf(worker: PageWorker): ToolSource {
  const asked = async <Value>(ask: (tools: ToolSource) => Promise<Value>) => {
    try {
      return await ask((await worker.awake(neverAborted)).tools)
    } finally {
      worker.rest()
    }
  }
  return {
    list: (sets) => asked((tools) => tools.list(sets)),
    run: (sets, name, input, call) => asked((tools) => tools.run(sets, name, input, call)),
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

  /** A call until its outcome is here, made again after a sleep. Time that passes in one is no time that it took. */
  async #settle(call: PageCall, given: BookCallOptions): Promise<unknown> {
    const { worker, numbers, effects } = this.#parts
    const { id, input, number } = call
    const effect = effects.get(id)
    const link = await this.#awake(call, given.signal ?? neverAborted)
    const options = this.#named(call, given)
    const beganMs = performance.now()
    try {
      return await link.call(id, input, { ...options, number, settled: numbers.settled() })
    } catch (error) {
      if (worker.isClosed || worker.isCurrent(link) || !isCut(error)) throw error
      // A write that its own tab found closed was not begun.
      const isHarmless = options.requestId !== undefined || isDaybookError(error, 'book-closed')
      if (effect !== 'read' && !(effect === 'write' && isHarmless)) throw asleep
      const left = withoutTime(options, performance.now() - beganMs)
      return this.#settle({ ...call, mayBeDone: effect === 'write' }, left)
    }
  }

  /** The worker that a call is made in; one that may have been made before is never said to be undone. */
  async #awake({ mayBeDone }: PageCall, signal: AbortSignalLike): Promise<WorkerLink> {
    try {
      return await this.#parts.worker.awake(signal)
    } catch (error) {
      throw mayBeDone && !isDaybookError(error, 'aborted') ? asleep : error
    }
  }

  #named({ id, number }: PageCall, given: BookCallOptions): BookCallOptions {
    const { page, worker, effects } = this.#parts
    if (given.requestId !== undefined || effects.get(id) !== 'write' || !worker.mayStop) return given
    return { ...given, requestId: requestOf(page, number) }
  }
}

/** Whether a call ended because its worker did, or its owner. */
const isCut = (error: unknown) =>
  error === asleep || isDaybookError(error, 'book-closed') || isDaybookError(error, 'owner-changed')

function withoutTime(options: BookCallOptions, passedMs: number): BookCallOptions {
  const { deadlineMs } = options
  return deadlineMs === undefined ? options : { ...options, deadlineMs: Math.max(1, deadlineMs - passedMs) }
}
