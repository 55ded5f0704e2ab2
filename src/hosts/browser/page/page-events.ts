// What happens to a book, as the listeners of its page hear it.
// Invariant: they hear the state of the book as this tab has it: one that follows, or has just taken over, has more or less
// to tell of than the owner said.
import type { Status } from '../../../core/capability/status.ts'
import type { BookEvent } from '../../../core/capability/event.ts'

type Listener = (event: BookEvent) => void

/** As much of the open book as is needed to tell of it. */
export interface OpenBook {
  status(): Promise<Status>
  setOwner(isOwner: boolean): void
}

export class PageEvents {
  readonly #listeners = new Set<Listener>()
  #book: OpenBook | undefined

  /** Answers how to listen no more. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The book is open. */
  attach(book: OpenBook): void {
    this.#book = book
  }

  tell(event: BookEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  /** Tells what the worker says; a state that it told in part, as a whole once it is asked for. */
  hear(event: BookEvent): void {
    if (event.name !== 'status') return this.tell(event)
    const { owner, degraded } = event.detail
    this.#book?.setOwner(owner)
    if (owner && degraded) return this.tell(event)
    const isWhole = degraded !== undefined
    if (!isWhole) this.tell(event)
    void this.#book?.status().then(
      (status) => this.tellStatus(status),
      () => isWhole && this.tell(event),
    )
  }

  /** `persisted`: whether the browser keeps what was written, once it has said so. */
  tellStatus({ owner, durability, degraded }: Status, persisted?: boolean): void {
    const detail = { owner, durability, degraded, ...(persisted === undefined ? {} : { persisted }) }
    this.tell({ name: 'status', detail })
  }
}
