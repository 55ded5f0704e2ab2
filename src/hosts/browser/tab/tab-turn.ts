// A tab's turn as owner of its book: waits for the owner lock, opens the book, serves the other tabs, and
// releases the book.
// Invariant: the book is open only while the owner lock is held; the lock is freed after the book is
// released.
import type { BookEvent } from '../../../core/capability/event.ts'
import { type DaybookError, isDaybookError, toDaybookError } from '../../../core/errors.ts'
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
  /** Opens the book. Called while this tab holds the owner lock. */
  open(): Promise<OwnedBook>
  /** The book is open, and this tab owns it. */
  began(owner: TabOwner): void
  /** The book did not open. Returns true to queue again. */
  failed(error: DaybookError): boolean
  /** This tab is about to release the book, and queues again afterwards. */
  ending(owner: TabOwner): void
  /** The book is released, and this tab is in the queue again. */
  ended(): void
}

/** Wait after a failed turn, so that another tab can try first. */
const retryMs = 250
/** Wait while a file of Daybook can't be loaded. A call ends it: see `wake`. */
const restMs = 30_000

export class TabTurn {
  readonly #parts: TabTurnParts
  /** The open book, and the function that frees the owner lock. */
  #held: { readonly owner: TabOwner; readonly free: () => void } | undefined
  /** Aborts the waiting request for the lock. */
  #waiting = new AbortController()
  /** The release that `stepDown` began last. */
  #releasing: Promise<void> | undefined
  #isOpening = false
  /** Ends the wait after a failed turn. */
  #cancelWait: (() => void) | undefined
  /** The wait is `restMs`. */
  #isResting = false
  /** The tab is closed: it takes no further turn. */
  #isOver = false

  constructor(parts: TabTurnParts) {
    this.#parts = parts
  }

  /** Defined while this tab owns the book. */
  get owner(): TabOwner | undefined {
    return this.#held?.owner
  }

  get isOpening(): boolean {
    return this.#isOpening
  }

  /** Leaves the queue for the owner lock, and joins it at the end. */
  queue(): void {
    const { port, book } = this.#parts
    this.#cancelWait?.()
    this.#isResting = false
    this.#waiting.abort()
    const mine = new AbortController()
    this.#waiting = mine
    port.lock(ownerLock(book), mine.signal).then(
      (free) => (mine.signal.aborted ? free() : void this.#take(free)),
      () => undefined,
    )
  }

  /** Queues now if this tab waits for a file of Daybook. */
  wake(): void {
    if (this.#isResting) this.queue()
  }

  /**
   * Releases the book for another tab, then queues again. Does nothing if this tab isn't the owner, or after `end`:
   * then `release` follows.
   */
  stepDown(): void {
    if (!this.#held || this.#isOver) return
    this.#parts.ending(this.#held.owner)
    this.#releasing = this.#release().then(() => {
      if (this.#isOver) return
      this.queue()
      this.#parts.ended()
    })
  }

  /** Leaves the queue. An open book stays open until `release`. */
  end(): void {
    this.#isOver = true
    this.#isResting = false
    this.#cancelWait?.()
    this.#waiting.abort()
  }

  /** Resolves when neither the book nor its lock is held. */
  async release(): Promise<void> {
    await this.#releasing
    await this.#release()
  }

  async #take(free: () => void): Promise<void> {
    const { book, tab, strict, port, shared, tell } = this.#parts
    this.#isOpening = true
    try {
      const owned = await this.#parts.open()
      this.#isOpening = false
      // The tab was closed while the book was being opened.
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
    } catch (thrown) {
      const error = toDaybookError(thrown)
      this.#isOpening = false
      free()
      if (this.#isOver || !this.#parts.failed(error)) return
      this.#isResting = isDaybookError(error, 'part-unavailable')
      this.#cancelWait = port.later(this.#isResting ? restMs : retryMs, () => this.queue())
    }
  }

  async #release(): Promise<void> {
    const { owner, free } = this.#held ?? {}
    this.#held = undefined
    await owner?.close()
    free?.()
  }
}
