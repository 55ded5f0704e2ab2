// The keys of a book as text: in the clear for whoever seals them, and sealed as a vault keeps them.
// Invariant: what is kept opens for the book that it names, and for its guard alone.
import { z } from 'zod'
import type { Random, SealingKey } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { fromBase64, toBase64 } from '../../shape/encoded-bytes.ts'
import { type Guard, guardShape } from './key-guard.ts'

/** The keys of a book, by their ids; `current` seals. */
export interface Keys {
  readonly current: string
  readonly secrets: ReadonlyMap<string, Uint8Array>
  /** Other names under which the book has sealed: what was sealed then opens still. */
  readonly names: readonly string[]
}

const keptShape = z.strictObject({
  version: z.literal(1),
  /** The name of the book when it was written; absent in older ones. */
  book: z.string().max(100).optional(),
  guard: guardShape,
  n: z.string(),
  ct: z.string(),
})
export type KeptKeys = z.output<typeof keptShape>

const keysShape = z.strictObject({
  current: z.string(),
  secrets: z.record(z.string().regex(/^k_[0-9a-f]{16}$/), z.string()),
  names: z.array(z.string().max(100)).default([]),
})

/** What a vault keeps; undefined for what is nothing of the kind. */
export function parseKept(text: string): KeptKeys | undefined {
  try {
    return parseWith(keptShape, JSON.parse(text))
  } catch {
    return undefined
  }
}

export async function sealKept(
  key: SealingKey,
  { book, guard, random }: { readonly book: string; readonly guard: Guard; readonly random: Random },
  keys: Keys,
): Promise<KeptKeys> {
  const nonce = random.bytes(12)
  const ct = await key.seal(nonce, headOf(book, guard), writeKeys(keys))
  return { version: 1, book, guard, n: toBase64(nonce), ct: toBase64(ct) }
}

/**
 * The keys, and the name that they were written for: the one that they say, or else one of `books`. Undefined where `key` does
 * not open them.
 */
export async function openAnyKept(
  key: SealingKey,
  books: readonly string[],
  vaulted: KeptKeys,
): Promise<{ readonly book: string; readonly keys: Keys } | undefined> {
  for (const book of new Set(vaulted.book === undefined ? books : [vaulted.book])) {
    const keys = await openKept(key, book, vaulted)
    if (keys) return { book, keys }
  }
  return undefined
}

/** The keys; undefined where `key` does not open them. */
async function openKept(
  key: SealingKey,
  book: string,
  { guard, n, ct }: KeptKeys,
): Promise<Keys | undefined> {
  const nonce = fromBase64(n) ?? new Uint8Array(12)
  const text = await key.open(nonce, headOf(book, guard), fromBase64(ct) ?? new Uint8Array())
  return text === undefined ? undefined : readKeys(text)
}

/** The keys, which also open what was sealed under these names. */
export function withNames(keys: Keys, names: readonly string[]): Keys {
  return { ...keys, names: [...new Set([...keys.names, ...names])] }
}

const headOf = (book: string, guard: Guard) => JSON.stringify(['daybook-keys', book, guard])

export function writeKeys({ current, secrets, names }: Keys): string {
  const spelled = [...secrets].map(([kid, secret]) => [kid, toBase64(secret)])
  return JSON.stringify({
    current,
    secrets: Object.fromEntries(spelled),
    ...(names.length > 0 ? { names } : {}),
  })
}

/** Keys as `writeKeys` wrote them; undefined for anything else. */
export function readKeys(text: string): Keys | undefined {
  const { current, secrets, names } = parseWith(keysShape, JSON.parse(text))
  const read = new Map(
    Object.entries(secrets).map(([kid, secret]) => [kid, fromBase64(secret) ?? new Uint8Array()]),
  )
  const isSound = read.has(current) && [...read.values()].every(({ length }) => length === 32)
  return isSound ? { current, secrets: read, names } : undefined
}
