// Workers that are started while something is taken away lack it, and are kept for tests that end them.
import type { Lack } from '../../support/server/without-storage.ts'

export type { Lack }

const RealWorker = globalThis.Worker

export interface Started {
  readonly workers: readonly Worker[]
  giveBack(): void
}

/** Until `giveBack` is called. See test/built-worker.ts. */
export function takeAway(...lacks: Lack[]): Started {
  const workers: Worker[] = []
  globalThis.Worker = class extends RealWorker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(`${String(url)}?without=${lacks.join('+')}`, options)
      workers.push(this)
    }
  }
  return { workers, giveBack: () => void (globalThis.Worker = RealWorker) }
}
