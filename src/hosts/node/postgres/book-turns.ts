// Work that waits for books: what comes while a book is followed waits for the next turn, and is then done together.
// Invariant: work runs in the order in which it came, on a book that was followed after it came.
import type { LiveBook } from '../../../edge/live-lines.ts'

export type BookWork = (live: LiveBook) => void

export interface BookTurnsOptions {
  /** Runs `work` on the book as it is in PostgreSQL now. */
  within(book: string, work: BookWork): Promise<void>
  onFault(book: string, error: unknown): void
}

export class BookTurns {
  readonly #options: BookTurnsOptions
  readonly #waiting = new Map<string, BookWork[]>()

  constructor(options: BookTurnsOptions) {
    this.#options = options
  }

  /** How much work waits for the next turn of this book. */
  waiting(book: string): number {
    return this.#waiting.get(book)?.length ?? 0
  }

  add(book: string, work: BookWork): void {
    const waiting = this.#waiting.get(book)
    if (waiting) return void waiting.push(work)
    this.#waiting.set(book, [work])
    void this.#run(book)
  }

  async #run(book: string): Promise<void> {
    for (;;) {
      const turn = this.#waiting.get(book)?.splice(0) ?? []
      if (turn.length === 0) break
      await this.#options
        .within(book, (live) => {
          for (const work of turn) this.#do(book, work, live)
        })
        .catch((error: unknown) => this.#options.onFault(book, error))
    }
    this.#waiting.delete(book)
  }

  /** What goes wrong for one keeps nothing from the others. */
  #do(book: string, work: BookWork, live: LiveBook): void {
    try {
      work(live)
    } catch (error) {
      this.#options.onFault(book, error)
    }
  }
}
