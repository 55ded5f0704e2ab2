// Stores the keys that seal a book in IndexedDB, separate from the book. A device key that can't be exported
// encrypts them.
// Invariant: the first stored device key stays; the vault is replaced in one strict transaction.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { sealingKeyOf } from '../../../web/web-cipher.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { KeyVault, SealingKey } from '../../../core/ports.ts'

/** `vaults`: the encrypted keys of each book; `keys`: the device key of each book, which encrypts them. */
interface VaultDatabase extends DBSchema {
  vaults: { key: string; value: string }
  keys: { key: string; value: CryptoKey }
}

/** The web functions that `sealingKeyOf` needs. */
const parts = {
  subtle: crypto.subtle,
  encode: (text: string) => new TextEncoder().encode(text),
  decode: (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
}

const makeKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])

/**
 * The vault of `book`. `isDurable: false`: in memory only, for a book in memory. Its calls reject with
 * `storage-unavailable` without IndexedDB.
 */
export function openBrowserVault(book: string, { isDurable }: { readonly isDurable: boolean }): KeyVault {
  if (!isDurable) {
    let text: string | undefined
    let key: Promise<SealingKey> | undefined
    return {
      read: () => Promise.resolve(text),
      write: (next) => Promise.resolve(void (text = next)),
      deviceKey: () => (key ??= makeKey().then((made) => sealingKeyOf(made, parts))),
    }
  }
  return {
    place: 'the storage of this site (IndexedDB)',
    read: () => within((db) => db.get('vaults', book)),
    write: (text) =>
      within(async (db) => {
        const change = db.transaction('vaults', 'readwrite', { durability: 'strict' })
        await change.store.put(text, book)
        await change.done
      }),
    deviceKey: () =>
      within(async (db) => {
        const stored = await db.get('keys', book)
        if (stored) return sealingKeyOf(stored, parts)
        // Make the key before the transaction: IndexedDB commits a transaction that waits for anything else.
        const made = await makeKey()
        const change = db.transaction('keys', 'readwrite', { durability: 'strict' })
        const first = await change.store.get(book)
        if (!first) await change.store.put(made, book)
        await change.done
        return sealingKeyOf(first ?? made, parts)
      }),
  }
}

/** Deletes the keys of an erased book. */
export function forgetVault(book: string): Promise<void> {
  return within(async (db) => {
    const change = db.transaction(['vaults', 'keys'], 'readwrite', { durability: 'strict' })
    await Promise.all([
      change.objectStore('vaults').delete(book),
      change.objectStore('keys').delete(book),
      change.done,
    ])
  })
}

async function within<Result>(work: (db: IDBPDatabase<VaultDatabase>) => Promise<Result>): Promise<Result> {
  try {
    const db = await openDB<VaultDatabase>('daybook-vault', 1, {
      upgrade(fresh) {
        fresh.createObjectStore('vaults')
        fresh.createObjectStore('keys')
      },
    })
    try {
      return await work(db)
    } finally {
      db.close()
    }
  } catch (cause) {
    if (cause instanceof DaybookError) throw cause
    throw new DaybookError(
      'storage-unavailable',
      'The browser offers no storage for the keys that seal this book.',
      { cause },
    )
  }
}
