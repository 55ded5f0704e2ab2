// What arrived sealed to the book's public key: each sending has a key of its own, which a device with the private half
// receives before somebody reads. Invariant: no answer, and nothing that is written, rests on an arrival that was left
// unopened only because its key was not received yet.
import { sealedOf } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import { SealedList } from '../../store/sealed/sealed-list.ts'
import type { Keychain } from '../../trust/seal/keychain.ts'

export interface Arrivals {
  /** Keys came or went: everything is looked at anew. */
  renew(): void
  /** Receives the keys of what arrived since; undefined when nothing did. */
  receive(): Promise<void> | undefined
  /** Runs `work` again as long as it ended for want of a key that could be received. */
  again<Result>(work: () => Promise<Result>): Promise<Result>
  reading<Result>(work: () => Result | Promise<Result>): Promise<Result>
  /** Inside a transaction, and of `again`. */
  writing<Result>(work: () => Result): Result
}

export interface ArrivalParts {
  readonly store: Pick<BookStore, 'db' | 'records' | 'openedRecords' | 'sources'>
  readonly keychain: Pick<Keychain, 'keys' | 'pairOf' | 'want' | 'lacking' | 'receive'>
}

/** Undoes a transaction that met an arrival whose key was not received. */
class NotReceived extends Error {}

const ignore = () => undefined

export function createArrivals({ store, keychain }: ArrivalParts): Arrivals {
  const sealed = new SealedList(store.db)
  /** Sealed records that changed; `all` after keys came or went. */
  let due: Set<number> | 'all' = 'all'
  store.records.watchSealed({
    changed(seq) {
      if (due !== 'all') due.add(seq)
    },
    placed: ignore,
    mirrorCleared: ignore,
  })

  const receiveDue = async (): Promise<void> => {
    const pairs = [...(keychain.keys()?.secrets.keys() ?? [])].flatMap((kid) => keychain.pairOf(kid) ?? [])
    const rows = pairs.length === 0 ? [] : sealed.under(pairs, due === 'all' ? undefined : [...due])
    due = new Set()
    for (const { body } of rows) {
      const text = sealedOf(body)
      if (text) keychain.want(text)
    }
    await keychain.receive()
    for (const { seq } of rows) {
      store.openedRecords?.changed(seq)
      store.sources.links.awaited.changed(seq)
    }
  }

  const reading: Arrivals['reading'] = async (work) => {
    for (;;) {
      const before = keychain.lacking()
      try {
        const answer = await work()
        if (before === keychain.lacking()) return answer
      } catch (error) {
        if (before === keychain.lacking()) throw error
      }
      await keychain.receive()
    }
  }

  return {
    renew: () => void (due = 'all'),
    receive() {
      if (due !== 'all' && due.size === 0) return undefined
      return keychain.keys() ? receiveDue() : undefined
    },
    async again(work) {
      for (;;) {
        const before = keychain.lacking()
        try {
          return await work()
        } catch (error) {
          if (!(error instanceof NotReceived) && before === keychain.lacking()) throw error
          await keychain.receive()
        }
      }
    },
    reading,
    writing(work) {
      const before = keychain.lacking()
      const result = work()
      if (before !== keychain.lacking()) throw new NotReceived()
      return result
    },
  }
}
