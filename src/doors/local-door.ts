// Connects a book to an engine in the same thread, with deadlines and cancellation.
import { createAbort, neverAborted, orAborted } from '../core/abort.ts'
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
    tools: loadLocalTools(),
    call(id, input, options) {
      const { signal, deadlineMs } = options
      const carried = carriedOf(options)
      if (deadlineMs === undefined) {
        const call = engine.call(id, input, signal ? { ...carried, signal } : carried)
        return signal ? orAborted(call, signal) : call
      }
      return inTime({ ...options, deadlineMs }, scheduler, (until) =>
        engine.call(id, input, { ...carried, signal: until }),
      )
    },
    on: (listener) => engine.on(listener),
    close: () => Promise.resolve(engine.close()),
  }
}

type Timed = Pick<BookCallOptions, 'signal'> & { readonly deadlineMs: number }

/**
 * Returns the result of `begin`. Throws `deadline-exceeded` after `deadlineMs`. Aborts `begin` at the deadline, or
 * when the caller's signal aborts.
 */
async function inTime(
  { deadlineMs, signal = neverAborted }: Timed,
  scheduler: Scheduler,
  begin: (until: typeof signal) => Promise<unknown>,
): Promise<unknown> {
  const ending = createAbort()
  const late = new DaybookError('deadline-exceeded', undefined, { details: { deadlineMs } })
  const stop = () => ending.abort(signal.reason)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  const cancel = scheduler.later(deadlineMs, () => ending.abort(late))
  try {
    return await orAborted(begin(ending.signal), ending.signal)
  } catch (error) {
    throw ending.signal.reason === late ? late : error
  } finally {
    cancel()
    signal.removeEventListener('abort', stop)
  }
}
