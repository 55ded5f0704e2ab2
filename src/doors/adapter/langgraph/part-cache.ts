// The parts that a saver has sent or read, by thread, so that each part is transferred once. Texts are dropped first,
// because the hash alone shows that the book has a part.
import type { PartsByHash } from './state-parts.ts'

/** Maximum characters of all cached parts. */
const characterLimit = 4_000_000
/** Maximum hashes that are remembered for a thread, and maximum threads. */
const countLimit = 20_000
const threadLimit = 100

/** True for more parts than a caller should collect in memory. */
export function isFull(parts: PartsByHash): boolean {
  const characters = [...parts.values()].reduce((sum, text) => sum + text.length, 0)
  return characters > characterLimit || parts.size > countLimit
}

interface CachedThread {
  /** Texts of parts, the oldest first. */
  readonly texts: PartsByHash
  /** Hashes of parts that the book has, also of those without a cached text. */
  readonly stored: Set<string>
}

/** Cache of sent and read parts by thread, so that each part is transferred once. */
export class PartCache {
  /** The least recently used thread first. */
  readonly #threads = new Map<string, CachedThread>()
  #characters = 0

  /** Cached texts of a thread's parts, by hash. */
  of(thread: string): ReadonlyMap<string, string> {
    return this.#threads.get(thread)?.texts ?? new Map()
  }

  /** Hashes of parts of a thread that the book has. */
  stored(thread: string): ReadonlySet<string> {
    return this.#threads.get(thread)?.stored ?? new Set()
  }

  /** Adds parts that the book has, as `[hash, text]`. */
  keep(thread: string, parts: Iterable<readonly [string, string]>): void {
    // Delete and set, so that the map stays in order of last use.
    const own = this.#threads.get(thread) ?? { texts: new Map<string, string>(), stored: new Set<string>() }
    this.#threads.delete(thread)
    this.#threads.set(thread, own)
    for (const [hash, text] of parts) {
      if (!own.texts.has(hash)) this.#characters += text.length
      own.texts.set(hash, text)
      own.stored.add(hash)
    }
    if (own.stored.size > countLimit) this.forget(thread)
    // Drop the least recently used thread first.
    if (this.#threads.size > threadLimit) this.forget(this.#threads.keys().next().value ?? '')
    for (const { texts } of this.#threads.values()) {
      for (const [hash, text] of texts) {
        if (this.#characters <= characterLimit) return
        texts.delete(hash)
        this.#characters -= text.length
      }
    }
  }

  forget(thread: string): void {
    for (const text of this.of(thread).values()) this.#characters -= text.length
    this.#threads.delete(thread)
  }
}
