// Work that goes on until it is closed: what fails is tried again after ever longer pauses, and every pause ends at once with
// the end.
import type { Scheduler } from '../../../core/ports.ts'

const backoffMs = { least: 250, most: 15_000 } as const

export interface Attempts {
  /** One attempt; it may end by itself, and is then made again. It says when something came of it: pauses are short again. */
  readonly work: (moved: () => void) => Promise<void>
  readonly failed: (error: unknown) => void
}

export class Trying {
  readonly #scheduler: Scheduler
  readonly #pauses = new Set<() => void>()
  #closed = false

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler
  }

  get isClosed(): boolean {
    return this.#closed
  }

  async keepUp({ work, failed }: Attempts): Promise<void> {
    let delay: number = backoffMs.least
    const moved = () => {
      delay = backoffMs.least
    }
    while (!this.#closed) {
      try {
        await work(moved)
      } catch (error) {
        if (this.#closed) return
        failed(error)
      }
      await this.pause(delay)
      delay = Math.min(backoffMs.most, delay * 2)
    }
  }

  /** Waits that long, or until the end. */
  pause(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        cancel()
        this.#pauses.delete(done)
        resolve()
      }
      const cancel = this.#scheduler.later(ms, done)
      this.#pauses.add(done)
    })
  }

  close(): void {
    this.#closed = true
    for (const done of this.#pauses) done()
  }
}
