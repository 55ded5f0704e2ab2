// Connects a book to an engine in the same thread, with deadlines and cancellation.
// Invariant: a call that its caller gave up does not begin a transaction, or answers with its result; after any other
// work, the error says that the call may have begun.
import { type AbortSignalLike, checkAborted, createAbort, neverAborted, orAborted } from '../core/abort.ts'
import { defined } from '../core/defined.ts'
import { DaybookError, isDaybookError } from '../core/errors.ts'
import { copyJson } from '../core/json/copy-json.ts'
import type { Scheduler } from '../core/ports.ts'
import { type BookCallOptions, carriedOf } from '../book/call-options.ts'
import type { BookDoor } from '../book/daybook.ts'
import { natureOf } from '../engine/capability-table.ts'
import type { CallOptions } from '../engine/engine-shape.ts'
import type { Engine } from '../engine/engine.ts'
import { loadLocalTools } from './mcp/load-local-tools.ts'

/** The part of an engine that a book uses. The engine may run in another process. */
export interface EngineDoor extends Pick<Engine, 'call' | 'on'> {
  close(): void | Promise<void>
}

export function createLocalDoor(engine: EngineDoor, scheduler: Scheduler): BookDoor {
  return {
    // Loaded with their first use.
    tools: loadLocalTools(scheduler),
    call(id, input, options) {
      const { signal, deadlineMs } = options
      let own: unknown
      try {
        own = copyJson(input)
      } catch (error) {
        return Promise.reject(error as Error)
      }
      // The options that the engine reads; `signal` and `deadlineMs` are handled here.
      const engineOptions = carriedOf(options)
      const start = (ending: CallOptions) => engine.call(id, own, { ...engineOptions, ...ending })
      if (deadlineMs === undefined) return signal ? untilAborted(id, start, signal, options) : start({})
      return withDeadline({ ...options, deadlineMs }, scheduler, (callSignal) =>
        untilAborted(id, start, callSignal, options),
      )
    },
    on: (listener) => engine.on(listener),
    close: () => Promise.resolve(engine.close()),
  }
}

/**
 * Settles like the call, but rejects with `aborted` as soon as `signal` aborts, unless the call has begun a
 * transaction: then it waits for the result.
 */
async function untilAborted(
  id: string,
  start: (ending: CallOptions) => Promise<unknown>,
  signal: AbortSignalLike,
  { requestId }: BookCallOptions,
): Promise<unknown> {
  checkAborted(signal)
  const waiting = createAbort()
  const stop = () => waiting.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  const onBegin = () => signal.removeEventListener('abort', stop)
  try {
    return await orAborted(start({ signal, onBegin }), waiting.signal)
  } catch (error) {
    const { effect, repeatable } = natureOf(id)
    // A read changes nothing, and an aborted write has undone its transaction.
    if (!isDaybookError(error, 'aborted') || effect !== 'task' || 'mayHaveBegun' in error.details) throw error
    throw new DaybookError('aborted', 'The caller cancelled the call, which may have begun.', {
      details: { mayHaveBegun: true, ...defined({ requestId: repeatable ? requestId : undefined }) },
      cause: error.cause,
    })
  } finally {
    onBegin()
  }
}

type DeadlineOptions = Pick<BookCallOptions, 'signal'> & { readonly deadlineMs: number }

/**
 * Returns the result of `start`. Throws `deadline-exceeded` after `deadlineMs`. The signal that `start` gets aborts at
 * the deadline, or with the caller's signal.
 */
async function withDeadline(
  { deadlineMs, signal = neverAborted }: DeadlineOptions,
  scheduler: Scheduler,
  start: (signal: AbortSignalLike) => Promise<unknown>,
): Promise<unknown> {
  const aborter = createAbort()
  const late = {}
  const abortByCaller = () => aborter.abort(signal.reason)
  if (signal.aborted) abortByCaller()
  else signal.addEventListener('abort', abortByCaller, { once: true })
  const expire = () => aborter.abort(late)
  // Don't begin a call that has no time: the timer would fire after it.
  if (deadlineMs === 0) expire()
  const cancel = scheduler.later(deadlineMs, expire)
  try {
    return await start(aborter.signal)
  } catch (error) {
    if (aborter.signal.reason !== late || !isDaybookError(error, 'aborted')) throw error
    const details = { deadlineMs, ...error.details }
    throw new DaybookError('deadline-exceeded', undefined, { details })
  } finally {
    cancel()
    signal.removeEventListener('abort', abortByCaller)
  }
}
