// Opens records that arrive sealed to the book's public key. Each sending has a key of its own, which a device with
// the private half receives before a read.
// Invariant: no answer and no write depends on an arrival that stayed sealed only because its key was not received
// yet.
import { sealedOf } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { SealedList } from '../../store/sealed/sealed-list.ts'
import type { Keychain } from '../../trust/seal/keychain.ts'

export interface ArrivalParts {
  readonly store: Pick<BookStore, 'db' | 'records' | 'openedRecords' | 'sources'>
  /** `missingKeyCount` grows with each read of an arrival whose key was not received yet. */
  readonly keychain: Pick<
    Keychain,
    'keys' | 'pairIdOf' | 'requestKey' | 'missingKeyCount' | 'receiveRequestedKeys'
  >
}

/** Thrown to undo a transaction that met an arrival whose key is missing. */
class NotReceived extends Error {}

const ignore = () => undefined

export class SealedArrivals {
  readonly #store: ArrivalParts['store']
  readonly #keychain: ArrivalParts['keychain']
  readonly #sealed: SealedList
  /** Row numbers of sealed records that changed; `all` after the keys changed. */
  #due: Set<number> | 'all' = 'all'

  constructor({ store, keychain }: ArrivalParts) {
    this.#store = store
    this.#keychain = keychain
    this.#sealed = new SealedList(store.db)
    store.records.watchSealed({
      sealedChanged: (seq) => {
        if (this.#due !== 'all') this.#due.add(seq)
      },
      // The versions at the mirror tell nothing about keys.
      mirrorVersionChanged: ignore,
      mirrorVersionsCleared: ignore,
    })
  }

  /** Call it when the keys changed: the next `receive` looks at every sealed record. */
  renew(): void {
    this.#due = 'all'
  }

  /**
   * Receives the keys of new arrivals. Returns undefined if there are no new arrivals, or no keys of the book here.
   */
  receive(): Promise<void> | undefined {
    if (this.#due !== 'all' && this.#due.size === 0) return undefined
    return this.#keychain.keys() ? this.#receiveDue() : undefined
  }

  async #receiveDue(): Promise<void> {
    const { secrets } = this.#keychain.keys() ?? {}
    // A body sealed to the public key names the key pair, which is derived from a key (`kid`).
    const pairs = [...(secrets?.keys() ?? [])].flatMap((kid) => this.#keychain.pairIdOf(kid) ?? [])
    const due = this.#due === 'all' ? undefined : [...this.#due]
    const rows = pairs.length === 0 ? [] : this.#sealed.recordsUnderKeys(pairs, due)
    this.#due = new Set()
    for (const { body } of rows) {
      const text = sealedOf(body)
      if (text) this.#keychain.requestKey(text)
    }
    await this.#keychain.receiveRequestedKeys()
    for (const { seq } of rows) {
      this.#store.openedRecords?.sealedChanged(seq)
      this.#store.sources.links.awaited.markSealedChanged(seq)
    }
  }

  /** Runs a read, and runs it again each time it met an arrival whose key was missing. */
  async reading<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    for (;;) {
      const before = this.#keychain.missingKeyCount()
      try {
        const answer = await work()
        if (before === this.#keychain.missingKeyCount()) return answer
      } catch (error) {
        if (before === this.#keychain.missingKeyCount()) throw error
      }
      await this.#keychain.receiveRequestedKeys()
    }
  }

  /** Runs `work`, which makes one commit, and runs it again while it fails for a key that can be received. */
  async again<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const before = this.#keychain.missingKeyCount()
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof NotReceived) && before === this.#keychain.missingKeyCount()) throw error
        await this.#keychain.receiveRequestedKeys()
      }
    }
  }

  /**
   * Runs `work`; throws if it met an arrival whose key is missing. Call it only inside a transaction inside `again`.
   */
  writing<Result>(work: () => Result): Result {
    const before = this.#keychain.missingKeyCount()
    const result = work()
    if (before !== this.#keychain.missingKeyCount()) throw new NotReceived()
    return result
  }
}
