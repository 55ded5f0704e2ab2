// Parts of checkpoints that were sent or read lately, by thread, so that they travel once.
import type { Parts } from './state-parts.ts'

/** Characters that are kept at most. */
const characterLimit = 4_000_000
const countLimit = 20_000

export class PartCache {
  readonly #threads = new Map<string, Parts>()
  #characters = 0

  /** What is kept of a thread. */
  of(thread: string): ReadonlyMap<string, string> {
    return this.#threads.get(thread) ?? new Map()
  }

  keep(thread: string, parts: Iterable<readonly [string, string]>): void {
    const own = this.#threads.get(thread) ?? new Map<string, string>()
    this.#threads.delete(thread)
    this.#threads.set(thread, own)
    for (const [hash, text] of parts) {
      if (!own.has(hash)) this.#characters += text.length
      own.set(hash, text)
    }
    if (own.size > countLimit) this.forget(thread)
    // What was not used for longest goes first.
    while (this.#characters > characterLimit) this.forget(this.#threads.keys().next().value ?? '')
  }

  forget(thread: string): void {
    for (const text of this.#threads.get(thread)?.values() ?? []) this.#characters -= text.length
    this.#threads.delete(thread)
  }
}
