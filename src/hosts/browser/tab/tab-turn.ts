// A tab's turn at its book: it stands in line for the owner lock, opens the book, serves the other tabs, and lets go.
// Invariant: the book is opened only while the owner lock is held, and the lock is freed only after it was let go.
import type { BookEvent } from '../../../core/capability/event.ts'
import { type DaybookError, toDaybookError } from '../../../core/errors.ts'
import type { OwnedBook } from './owned-book.ts'
import { TabOwner } from './tab-owner.ts'
import type { TabChannel, TabPort } from './tab-port.ts'
import { type SharedMessage, ownerLock } from './tab-wire.ts'

export interface TabTurnParts {
  readonly book: string
  readonly tab: string
  readonly strict: boolean
  readonly port: TabPort
  readonly shared: TabChannel<SharedMessage>
  readonly tell: (event: BookEvent) => void
  /** The lock is held: opens the book. */
  open(): Promise<OwnedBook>
  /** The book is open, and this tab is its owner. */
  began(owner: TabOwner): void
  /** The book could not be opened. True when the tab should stand in line again. */
  failed(error: DaybookError): boolean
  /** This tab is about to let go of the book, and would like to have it again later. */
  ending(owner: TabOwner): void
  /** The book is let go of, and the tab stands in line again. */
  ended(): void
}

/** A tab whose turn failed lets the others try before it stands in line again. */
const retryMs = 250

export class TabTurn {
  readonly #parts: TabTurnParts
  #held: { readonly owner: TabOwner; readonly free: () => void } | undefined
  #waiting = new AbortController()
  #lettingGo: Promise<void> | undefined
  #isOpening = false
  #isOver = false

  constructor(parts: TabTurnParts) {
    this.#parts = parts
  }

  /** Serves the tabs of the book, while this one holds it. */
  get owner(): TabOwner | undefined {
    return this.#held?.owner
  }

  get isOpening(): boolean {
    return this.#isOpening
  }

  /** Goes to the end of the line. */
  stand(): void {
    const { port, book } = this.#parts
    this.#waiting.abort()
    const mine = new AbortController()
    this.#waiting = mine
    port.lock(ownerLock(book), mine.signal).then(
      (free) => (mine.signal.aborted ? free() : void this.#take(free)),
      () => undefined,
    )
  }

  /** Lets another tab have the book. */
  stepDown(): void {
    if (!this.#held) return
    this.#parts.ending(this.#held.owner)
    this.#lettingGo = this.#letGo().then(() => {
      if (this.#isOver) return
      this.stand()
      this.#parts.ended()
    })
  }

  /** Stands in no line any more; what is held stays so until `letGo`. */
  end(): void {
    this.#isOver = true
    this.#waiting.abort()
  }

  /** Resolves when neither the book nor its lock are held. */
  async letGo(): Promise<void> {
    await this.#lettingGo
    await this.#letGo()
  }

  async #take(free: () => void): Promise<void> {
    const { book, tab, strict, port, shared, tell } = this.#parts
    this.#isOpening = true
    try {
      const owned = await this.#parts.open()
      this.#isOpening = false
      if (this.#isOver) {
        owned.engine.close()
        await owned.release()
        return free()
      }
      if (strict) owned.makeStrict()
      const onFault = () => this.stepDown()
      const owner = new TabOwner({ book, own: tab, owned, port, shared, tell, onFault })
      this.#held = { owner, free }
      shared.post({ type: 'owner', epoch: owned.epoch })
      this.#parts.began(owner)
    } catch (error) {
      this.#isOpening = false
      free()
      if (this.#isOver || !this.#parts.failed(toDaybookError(error))) return
      port.later(retryMs, () => {
        if (!this.#isOver) this.stand()
      })
    }
  }

  async #letGo(): Promise<void> {
    const { owner, free } = this.#held ?? {}
    this.#held = undefined
    await owner?.close()
    free?.()
  }
}
