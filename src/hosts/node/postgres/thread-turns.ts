// Turns of callers on the one thread that all books of this process share. What a call computes at one go is bounded, so no
// caller holds up the others longer than that. Invariant: callers come round in a circle, one call in a pass of the event loop,
// and between two calls that took long the others have the thread for as long as those took.
import { DaybookError } from '../../../core/errors.ts'

/** Shorter than this, a call is none that others notice. */
const longMs = 20
/** A machine that was put to sleep in the middle of a call keeps nobody waiting for hours. */
const mostRestMs = 2000
/** How many calls of a caller may wait whose last one took long. */
const mostWaiting = 64
const mostKnown = 10_000

export class ThreadTurns {
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Callers whose last call took long. */
  readonly #long = new Set<string>()
  #restUntil = 0
  #isGoing = false
  #rest: NodeJS.Timeout | undefined

  /** Resolves when it is the turn of this caller of this book; what it does then until it waits is measured. */
  take(book: string, caller: string): Promise<void> {
    const name = JSON.stringify([book, caller])
    const queue = this.#waiting.get(name) ?? []
    if (this.#long.has(name) && queue.length >= mostWaiting) {
      throw new DaybookError('rate-limited', 'Too many calls of this caller wait that take long.', {
        details: { retryAfterMs: 1000 },
      })
    }
    return new Promise((resolve) => {
      queue.push(resolve)
      this.#waiting.set(name, queue)
      if (this.#isGoing && (this.#rest === undefined || this.#long.has(name))) return
      this.#isGoing = true
      this.#go()
    })
  }

  /** Both in one phase of the loop: what a call does before it waits for something runs between them. */
  #go(): void {
    clearTimeout(this.#rest)
    this.#rest = undefined
    let begun: { readonly name: string; readonly atMs: number } | undefined
    setImmediate(() => (begun = this.#begin()))
    setImmediate(() => {
      if (begun) this.#measured(begun.name, performance.now() - begun.atMs)
      this.#goOn()
    })
  }

  /** Lets the first caller go whose turn it may be. */
  #begin() {
    const isResting = performance.now() < this.#restUntil
    const name = [...this.#waiting.keys()].find((one) => !isResting || !this.#long.has(one))
    if (name === undefined) return undefined
    const [start, ...others] = this.#waiting.get(name) ?? []
    this.#waiting.delete(name)
    if (others.length > 0) this.#waiting.set(name, others)
    const atMs = performance.now()
    start?.()
    return { name, atMs }
  }

  #goOn(): void {
    this.#isGoing = this.#waiting.size > 0
    if (!this.#isGoing) return
    const restMs = this.#restUntil - performance.now()
    const mustRest = restMs > 0 && [...this.#waiting.keys()].every((name) => this.#long.has(name))
    if (mustRest) this.#rest = setTimeout(() => this.#go(), Math.ceil(restMs))
    else this.#go()
  }

  #measured(name: string, tookMs: number): void {
    this.#long.delete(name)
    if (tookMs < longMs) return
    if (this.#long.size >= mostKnown) this.#long.clear()
    this.#long.add(name)
    this.#restUntil = performance.now() + Math.min(tookMs, mostRestMs)
  }
}
