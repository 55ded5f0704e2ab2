// Connects a book to an engine in the same thread, with deadlines and cancellation.
import { type AbortSignalLike, createAbort, neverAborted, orAborted } from '../core/abort.ts'
import { DaybookError } from '../core/errors.ts'
import type { Scheduler } from '../core/ports.ts'
import { type BookCallOptions, carriedOf } from '../book/call-options.ts'
import type { BookDoor } from '../book/daybook.ts'
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
      // The options that the engine reads; `signal` and `deadlineMs` are handled here.
      const engineOptions = carriedOf(options)
      if (deadlineMs === undefined) {
        const call = engine.call(id, input, signal ? { ...engineOptions, signal } : engineOptions)
        return signal ? orAborted(call, signal) : call
      }
      return withDeadline({ ...options, deadlineMs }, scheduler, (callSignal) =>
        engine.call(id, input, { ...engineOptions, signal: callSignal }),
      )
    },
    on: (listener) => engine.on(listener),
    close: () => Promise.resolve(engine.close()),
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
  const deadlineError = new DaybookError('deadline-exceeded', undefined, { details: { deadlineMs } })
  const abortByCaller = () => aborter.abort(signal.reason)
  if (signal.aborted) abortByCaller()
  else signal.addEventListener('abort', abortByCaller, { once: true })
  const cancel = scheduler.later(deadlineMs, () => aborter.abort(deadlineError))
  try {
    return await orAborted(start(aborter.signal), aborter.signal)
  } catch (error) {
    throw aborter.signal.reason === deadlineError ? deadlineError : error
  } finally {
    cancel()
    signal.removeEventListener('abort', abortByCaller)
  }
}
