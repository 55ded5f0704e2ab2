// Where a browser keeps the keys that seal a book: in IndexedDB, apart from the book, under a key that can be used and not
// read. Invariant: the first device key that is stored stays; what is kept is replaced in one strict transaction.
import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import { sealingKeyOf } from '../../../web/web-cipher.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { KeyVault, SealingKey } from '../../../core/ports.ts'

interface VaultDatabase extends DBSchema {
  vaults: { key: string; value: string }
  keys: { key: string; value: CryptoKey }
}

const parts = {
  subtle: crypto.subtle,
  encode: (text: string) => new TextEncoder().encode(text),
  decode: (bytes: Uint8Array) => new TextDecoder('utf-8', { fatal: true }).decode(bytes),
}

const makeKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])

/** The vault of `book`. `kept: false` keeps it in memory only, as for a book in memory. */
export function openBrowserVault(book: string, { kept }: { readonly kept: boolean }): KeyVault {
  if (!kept) {
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
        const known = await db.get('keys', book)
        if (known) return sealingKeyOf(known, parts)
        // Made before the transaction: IndexedDB ends one that waits for anything else.
        const made = await makeKey()
        const change = db.transaction('keys', 'readwrite', { durability: 'strict' })
        const first = await change.store.get(book)
        if (!first) await change.store.put(made, book)
        await change.done
        return sealingKeyOf(first ?? made, parts)
      }),
  }
}

/** The book is erased, and its keys go with it. */
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
      'The browser gives no storage for the keys that seal this book.',
      { cause },
    )
  }
}
