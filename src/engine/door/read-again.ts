// Runs reads after many writes: derives the pending rows in slices, and other calls run between two slices.
// Invariant: a read sees every write that was acknowledged before the call of the read.
import { ProjectionBehindError, type Projection } from '../../store/record/projection.ts'
import { lagLimit } from '../service/idle-work.ts'

/**
 * A read derives this share of the permitted lag at once. With more pending rows, each slice is a fifth of this
 * number.
 */
const patienceShare = 1 / 20
const slices = 5
/** Derived rows may be pending, then words in memory. After so many waits the read takes the rest at once. */
const mostWaits = 3

/** Runs a read, which may start several times: it must have no effect but its answer. */
export type RunRead = <Result>(read: () => Result | Promise<Result>) => Promise<Result>

/** `pause` lets waiting calls run, and rejects once the engine is closed. `lag`: see `EngineOptions`. */
export function createReads(projection: Projection, pause: () => Promise<void>, lag = lagLimit): RunRead {
  const patience = Math.floor(lag * patienceShare)
  return async (read) => {
    for (let waits = 0; waits < mostWaits; waits++) {
      try {
        return await projection.startRead(read, patience)
      } catch (error) {
        if (!(error instanceof ProjectionBehindError)) throw error
        // `records`: how many are pending. `step` derives some of them, and returns how many; 0: none is left.
        const slice = Math.max(1, Math.floor(patience / slices))
        // Only records pending at the start count, or an endless stream of writes would block the read.
        for (let pending = error.records; pending > 0;) {
          const done = error.step(Math.min(slice, pending))
          if (done === 0) break
          pending -= done
          await pause()
        }
      }
    }
    return read()
  }
}
