// The keys of a book as text: in clear before encryption, and encrypted as a vault stores them, under a key of the
// device or a passphrase. The vault stores the parameters of the passphrase with them.
// Invariant: stored keys open only for the book that they name, and only with their guard.
import { passphraseLength } from '../../core/sealed.ts'
import { z } from 'zod'
import { fromBase64, toBase64 } from '../../shape/encoded-bytes.ts'
import { invalidInput } from '../../core/errors.ts'
import type { Cipher, Random, SealingKey } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'

/** `min`: OWASP's minimum for PBKDF2-HMAC-SHA-256 (2023). `max`: a bound on the time. */
const iterations = { initial: 600_000, min: 600_000, max: 10_000_000 } as const
const saltBytes = 16

export const guardShape = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('device') }),
  z.strictObject({
    by: z.literal('passphrase'),
    kdf: z.literal('PBKDF2-HMAC-SHA-256'),
    iterations: z.number().int().min(iterations.min).max(iterations.max),
    salt: z.string().max(100),
  }),
])
export type Guard = z.output<typeof guardShape>

/** A passphrase that protects keys. */
export const passphraseShape = z.string().min(passphraseLength.least).max(passphraseLength.most)

export function newGuard(by: Guard['by'], random: Random): Guard {
  if (by === 'device') return { by }
  const salt = toBase64(random.bytes(saltBytes))
  return { by, kdf: 'PBKDF2-HMAC-SHA-256', iterations: iterations.initial, salt }
}

export async function deriveGuardKey(guard: Guard, passphrase: string, cipher: Cipher): Promise<SealingKey> {
  const salt = guard.by === 'passphrase' ? fromBase64(guard.salt) : undefined
  if (guard.by !== 'passphrase' || salt?.length !== saltBytes) {
    throw invalidInput('salt', 'It must be 16 bytes in base64')
  }
  return cipher.derive(passphrase, salt, guard.iterations)
}

/** The keys of a book, by their ids. `current`: the id of the key that seals. */
export interface BookKeys {
  readonly current: string
  /** 32 bytes each. */
  readonly secrets: ReadonlyMap<string, Uint8Array>
  /** Earlier names of the book. Bodies that were sealed under them still open. */
  readonly names: readonly string[]
}

const vaultShape = z.strictObject({
  version: z.literal(1),
  /** The name of the book at the time of writing; absent in older vaults. */
  book: z.string().max(100).optional(),
  guard: guardShape,
  /** Nonce and ciphertext of the keys, in base64. */
  n: z.string(),
  ct: z.string(),
})
export type EncryptedVault = z.output<typeof vaultShape>

const keysShape = z.strictObject({
  current: z.string(),
  secrets: z.record(z.string().regex(/^k_[0-9a-f]{16}$/), z.string()),
  names: z.array(z.string().max(100)).default([]),
})

/** Parses the content of a vault; undefined for anything else. */
export function parseVault(text: string): EncryptedVault | undefined {
  try {
    return parseWith(vaultShape, JSON.parse(text))
  } catch {
    return undefined
  }
}

export async function encryptVault(
  key: SealingKey,
  { book, guard, random }: { readonly book: string; readonly guard: Guard; readonly random: Random },
  keys: BookKeys,
): Promise<EncryptedVault> {
  const nonce = random.bytes(12)
  const ct = await key.seal(nonce, additionalDataOf(book, guard), serializeKeys(keys))
  return { version: 1, book, guard, n: toBase64(nonce), ct: toBase64(ct) }
}

/**
 * The keys, and the book name that they were written for: the name in the vault, or else one of `books`. Undefined
 * if `key` doesn't open them.
 */
export async function decryptVault(
  key: SealingKey,
  books: readonly string[],
  vault: EncryptedVault,
): Promise<{ readonly book: string; readonly keys: BookKeys } | undefined> {
  for (const book of new Set(vault.book === undefined ? books : [vault.book])) {
    const keys = await decryptVaultOf(key, book, vault)
    if (keys) return { book, keys }
  }
  return undefined
}

/** The keys; undefined if `key` doesn't open them. */
async function decryptVaultOf(
  key: SealingKey,
  book: string,
  { guard, n, ct }: EncryptedVault,
): Promise<BookKeys | undefined> {
  const nonce = fromBase64(n) ?? new Uint8Array(12)
  const text = await key.open(nonce, additionalDataOf(book, guard), fromBase64(ct) ?? new Uint8Array())
  return text === undefined ? undefined : parseKeys(text)
}

/** `keys` with further names of the book, so that bodies sealed under these names open. */
export function addBookNames(keys: BookKeys, names: readonly string[]): BookKeys {
  return { ...keys, names: [...new Set([...keys.names, ...names])] }
}

const additionalDataOf = (book: string, guard: Guard) => JSON.stringify(['daybook-keys', book, guard])

export function serializeKeys({ current, secrets, names }: BookKeys): string {
  const encoded = [...secrets].map(([kid, secret]) => [kid, toBase64(secret)])
  return JSON.stringify({
    current,
    secrets: Object.fromEntries(encoded),
    ...(names.length > 0 ? { names } : {}),
  })
}

/**
 * Parses the text of `serializeKeys`. Undefined if the current key is missing, or a key has a wrong length. Throws for
 * another text.
 */
export function parseKeys(text: string): BookKeys | undefined {
  const { current, secrets, names } = parseWith(keysShape, JSON.parse(text))
  const decoded = new Map(
    Object.entries(secrets).map(([kid, secret]) => [kid, fromBase64(secret) ?? new Uint8Array()]),
  )
  const isComplete = decoded.has(current) && [...decoded.values()].every(({ length }) => length === 32)
  return isComplete ? { current, secrets: decoded, names } : undefined
}
