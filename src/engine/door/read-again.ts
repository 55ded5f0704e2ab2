// Reads of a book in which much was just written: what they need is derived in slices, and between those other calls are
// answered. Invariant: a read sees all that was acknowledged before it was called.
import { lagLimit } from '../service/idle-work.ts'
import { FarBehind, type Projection } from '../../store/record/projection.ts'

/** A read derives this share of what may be behind at once, 0.3 s of work; more is done in slices of a fifth of that. */
const patienceShare = 1 / 20
const slices = 5

/** Runs a read, which may be started twice: nothing but its answer may come of it. */
export type RunRead = <Result>(read: () => Result | Promise<Result>) => Promise<Result>

/** `pause` lets what waits come first; it throws when nothing more is to be done here. `lag`: see `EngineOptions`. */
export function createReads(projection: Projection, pause: () => Promise<void>, lag = lagLimit): RunRead {
  const patience = Math.floor(lag * patienceShare)
  return async (read) => {
    try {
      return await projection.startRead(read, patience)
    } catch (error) {
      if (!(error instanceof FarBehind)) throw error
      const slice = Math.max(1, Math.floor(patience / slices))
      // What is written meanwhile is not waited for in slices, or a flood without an end would keep it waiting.
      for (let left = error.records; left > 0;) {
        const done = error.step(Math.min(slice, left))
        if (done === 0) break
        left -= done
        await pause()
      }
    }
    return read()
  }
}
