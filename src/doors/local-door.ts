// The shortest door: an engine in this very thread, with the deadline and cancellation that every book has.
import { orAborted } from '../core/abort.ts'
import type { BookDoor } from '../daybook.ts'
import type { Engine } from '../engine.ts'

/** A book's door straight to `engine`. */
export function createLocalDoor(engine: Engine): BookDoor {
  return {
    call(id, input, { requestId, as: token, signal }) {
      const call = engine.call(id, input, {
        ...(requestId ? { requestId } : {}),
        ...(token === undefined ? {} : { as: token }),
        ...(signal ? { signal } : {}),
      })
      return signal ? orAborted(call, signal) : call
    },
    on: (listener) => engine.on(listener),
    close: () => Promise.resolve(engine.close()),
  }
}
