// Shares the one thread among the callers of all books.
// Invariant: round robin over callers, one call per turn of the event loop. After a long call the others get the
// thread for as long as it took.
import { DaybookError } from '../../../core/errors.ts'

/** A call that takes this time or more counts as long. */
const longMs = 20
/** A machine that sleeps in the middle of a call must not block others for hours. */
const restLimitMs = 2000
/** A caller whose last call was long may have this many calls waiting. */
const waitingLimit = 64
/** Most callers that are remembered for a long call; with more, all are forgotten. */
const callerLimit = 10_000

export class ThreadTurns {
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Callers whose last call was long. */
  readonly #long = new Set<string>()
  /** Until then callers of long calls wait; a time of `performance.now()`. */
  #restUntil = 0
  #isRunning = false
  #rest: NodeJS.Timeout | undefined

  /**
   * Resolves when it is this caller's turn; measures the work that the caller does until its next real await.
   */
  async take(book: string, caller: string): Promise<void> {
    const name = JSON.stringify([book, caller])
    const queue = this.#waiting.get(name) ?? []
    if (this.#long.has(name) && queue.length >= waitingLimit) {
      throw new DaybookError('rate-limited', 'Too many long calls of this caller are waiting.', {
        details: { retryAfterMs: 1000 },
      })
    }
    return new Promise((resolve) => {
      queue.push(resolve)
      this.#waiting.set(name, queue)
      // Wait for the running turn. During a rest only callers of long calls wait.
      if (this.#isRunning && (this.#rest === undefined || this.#long.has(name))) return
      this.#isRunning = true
      this.#runNext()
    })
  }

  /** Both callbacks run in one phase of the loop; the work of the call runs between them. */
  #runNext(): void {
    clearTimeout(this.#rest)
    this.#rest = undefined
    let begun: { readonly name: string; readonly atMs: number } | undefined
    setImmediate(() => (begun = this.#startNext()))
    setImmediate(() => {
      if (begun) this.#measured(begun.name, performance.now() - begun.atMs)
      this.#continue()
    })
  }

  /** Starts the first caller in the queue; while long callers rest, the first other one. */
  #startNext() {
    const isResting = performance.now() < this.#restUntil
    const name = [...this.#waiting.keys()].find((one) => !isResting || !this.#long.has(one))
    if (name === undefined) return undefined
    const [start, ...others] = this.#waiting.get(name) ?? []
    // Back to the end of the queue, behind the other callers.
    this.#waiting.delete(name)
    if (others.length > 0) this.#waiting.set(name, others)
    const atMs = performance.now()
    start?.()
    return { name, atMs }
  }

  #continue(): void {
    this.#isRunning = this.#waiting.size > 0
    if (!this.#isRunning) return
    const restMs = this.#restUntil - performance.now()
    const mustRest = restMs > 0 && [...this.#waiting.keys()].every((name) => this.#long.has(name))
    if (mustRest) this.#rest = setTimeout(() => this.#runNext(), Math.ceil(restMs))
    else this.#runNext()
  }

  #measured(name: string, tookMs: number): void {
    this.#long.delete(name)
    if (tookMs < longMs) return
    if (this.#long.size >= callerLimit) this.#long.clear()
    this.#long.add(name)
    // Another caller's long call doesn't shorten a rest.
    this.#restUntil = Math.max(this.#restUntil, performance.now() + Math.min(tookMs, restLimitMs))
  }
}
