// Events of a book for the listeners of its page.
// Invariant: listeners get the state of the book as this tab has it, which may differ from the owner's
// message.
import type { Status } from '../../../core/capability/status.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import { defined } from '../../../core/defined.ts'

type Listener = (event: BookEvent) => void

/** The open book, as far as events need it. */
export interface OpenBook {
  status(): Promise<Status>
  setOwner(isOwner: boolean): void
}

export class PageEvents {
  readonly #listeners = new Set<Listener>()
  #book: OpenBook | undefined

  /** Returns a function that stops listening. */
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

  /** Passes on an event of the worker; fetches the whole status for a partial one. */
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

  /** `persisted`: whether the browser promised not to evict the book, once known. */
  tellStatus({ owner, durability, degraded }: Status, persisted?: boolean): void {
    const detail = { owner, durability, degraded, ...defined({ persisted }) }
    this.tell({ name: 'status', detail })
  }
}
