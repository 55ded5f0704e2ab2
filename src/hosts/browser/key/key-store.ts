// Stores the book's key pair in IndexedDB, separate from the book; the private key can't be exported.
// Invariant: the first stored pair stays; later callers get that pair.
import { type DBSchema, openDB } from 'idb'
import { DaybookError } from '../../../core/errors.ts'
import type { Keyring } from '../../../core/ports.ts'
import { createKeyring } from '../../../trust/keyring.ts'

interface StoredPair {
  readonly publicKey: Uint8Array<ArrayBuffer>
  readonly privateKey: CryptoKey
}

interface KeyDatabase extends DBSchema {
  pairs: { key: string; value: StoredPair }
}

/**
 * The keyring of `book`. `isDurable: false`: the pair is in memory only, for a book in memory. Its calls
 * reject with `storage-unavailable` without IndexedDB, and `signing-off` without Ed25519.
 */
export function openBrowserKeyring(book: string, { isDurable }: { readonly isDurable: boolean }): Keyring {
  return createKeyring<CryptoKey>({
    subtle: crypto.subtle,
    encode: (text) => new TextEncoder().encode(text),
    getOrCreatePair: () => (isDurable ? takeStoredPair(book) : makePair()),
  })
}

const openPairs = () =>
  openDB<KeyDatabase>('daybook-keys', 1, { upgrade: (fresh) => void fresh.createObjectStore('pairs') })

/** Deletes the pair of an erased book. */
export async function forgetPair(book: string): Promise<void> {
  const db = await openPairs()
  try {
    await db.delete('pairs', book)
  } finally {
    db.close()
  }
}

/** Returns the stored pair; without one, makes a pair and stores it. */
async function takeStoredPair(book: string): Promise<StoredPair> {
  try {
    const db = await openPairs()
    try {
      const stored = await db.get('pairs', book)
      if (stored) return stored
      // Make the pair before the transaction: IndexedDB commits a transaction that waits for anything else.
      const made = await makePair()
      const change = db.transaction('pairs', 'readwrite', { durability: 'strict' })
      const first = await change.store.get(book)
      if (!first) await change.store.put(made, book)
      await change.done
      return first ?? made
    } finally {
      db.close()
    }
  } catch (cause) {
    if (cause instanceof DaybookError) throw cause
    throw new DaybookError('storage-unavailable', 'The browser offers no storage for the key of this book.', {
      cause,
    })
  }
}

async function makePair(): Promise<StoredPair> {
  try {
    const pair = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])
    // `extractable` applies to the private key only; the public key can always be exported.
    const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
    return { publicKey, privateKey: pair.privateKey }
  } catch (cause) {
    throw new DaybookError('signing-off', 'This browser does not support Ed25519.', { cause })
  }
}
