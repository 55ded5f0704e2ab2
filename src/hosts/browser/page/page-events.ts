// Passes the events of a book to the listeners of its page.
// Invariant: listeners get the book's status as this tab sees the status; the owner's message may differ.
import type { Status } from '../../../core/capability/status.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import { defined } from '../../../core/defined.ts'

type Listener = (event: BookEvent) => void

/** The parts of the open book that events need. */
export interface OpenBook {
  status(): Promise<Status>
  setOwner(isOwner: boolean): void
}

export class PageEvents {
  readonly #listeners = new Set<Listener>()
  #book: OpenBook | undefined

  /** Calls `listener` for each event. Returns a function that removes the listener. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Call it when the book is open: earlier, the whole status can't be fetched. */
  attach(book: OpenBook): void {
    this.#book = book
  }

  tell(event: BookEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  /**
   * Passes on an event of the worker. A partial `status` event (without `degraded`) is passed on at once, then this
   * tab's whole status is fetched and follows. A follower's complete event is replaced by this tab's status.
   */
  hear(event: BookEvent): void {
    if (event.name !== 'status') return this.tell(event)
    // `degraded`, the list of faults, is in complete events only.
    const { owner, degraded } = event.detail
    this.#book?.setOwner(owner)
    if (owner && degraded) return this.tell(event)
    const isComplete = degraded !== undefined
    if (!isComplete) this.tell(event)
    void this.#book?.status().then(
      (status) => this.tellStatus(status),
      () => isComplete && this.tell(event),
    )
  }

  /**
   * `persisted`: whether the browser promised not to evict the book; undefined until the browser has
   * answered.
   */
  tellStatus({ owner, durability, degraded }: Status, persisted?: boolean): void {
    const detail = { owner, durability, degraded, ...defined({ persisted }) }
    this.tell({ name: 'status', detail })
  }
}
