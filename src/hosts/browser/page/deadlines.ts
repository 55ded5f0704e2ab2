// The deadlines of the page's calls, with one timer for all: setting and clearing a timer costs more than sending a
// short call.

export class Deadlines {
  /** When to call each function, in milliseconds of `performance.now`. */
  readonly #dueAt = new Map<() => void, number>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** When the timer fires; infinite without a timer. */
  #firesAt = Infinity

  /** Calls `late` after `delayMs`. Returns a function that prevents this. */
  add(delayMs: number, late: () => void): () => void {
    const dueAt = performance.now() + delayMs
    this.#dueAt.set(late, dueAt)
    // The timer of a call that is answered stays: most later calls have the same delay.
    if (dueAt < this.#firesAt) this.#fireAt(dueAt)
    return () => void this.#dueAt.delete(late)
  }

  #fireAt(at: number): void {
    clearTimeout(this.#timer)
    this.#firesAt = at
    this.#timer = setTimeout(() => this.#fire(), at - performance.now())
  }

  #fire(): void {
    this.#firesAt = Infinity
    const now = performance.now()
    let next = Infinity
    for (const [late, dueAt] of this.#dueAt) {
      if (dueAt > now) next = Math.min(next, dueAt)
      else {
        this.#dueAt.delete(late)
        late()
      }
    }
    if (next < this.#firesAt) this.#fireAt(next)
  }
}
