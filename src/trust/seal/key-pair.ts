// The key pairs of a book, one for each sealing key, and the kind of a book's public key. A copy without keys seals
// to the public half, with a key that only the private half can derive.
// Invariant: such a body is bound to its book, kind and id like any other; on the sealing side, its key is never
// stored and never used for a second call.
import type {
  EncapsulationPair,
  InstantCipher,
  InstantKey,
  KeyEncapsulation,
  Random,
} from '../../core/ports.ts'
import { toHex } from '../../core/ids.ts'
import { boundTo, type SealedBody, type SealedOwner } from '../../core/sealed.ts'
import { fromBase64, fromBase64Url, toBase64 } from '../../shape/encoded-bytes.ts'
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { ledgerKind } from '../ledger-kind.ts'

/** Bytes of a public key, and of the prefix of a ciphertext sealed to one. */
export const publicKeyBytes = 32

/** The public half, to which a copy without keys seals. */
export interface PublicHalf {
  readonly publicKey: Uint8Array
  /** The name of the book on the devices: a sealed body opens in that book only. */
  readonly book: string
}

/** The id of a pair in sealed bodies: `k_` and the first 8 bytes of its public key in hexadecimal. */
export function pairId(publicKey: Uint8Array): string {
  return `k_${toHex(publicKey.subarray(0, 8))}`
}

/** The additional data of a sealed body. */
export function boundIn(
  book: string,
  owner: SealedOwner,
  sealed: Pick<SealedBody, 'v' | 'kid' | 'head'>,
): string {
  return JSON.stringify(['daybook', book, ...boundTo(owner, sealed)])
}

/** Binds the key of a sending to the book and the pair. */
const infoOf = (book: string, kid: string) => JSON.stringify(['daybook', book, kid])

interface Pair extends EncapsulationPair {
  readonly id: string
}

/** The private halves, on a device. */
export interface KeyPairs {
  /** The public half of the pair derived from the key `kid`. */
  publicOf(kid: string): Uint8Array | undefined
  /** The id of that pair. */
  idOf(kid: string): string | undefined
  /** The id of the key from which the pair `id` is derived; undefined if the key is not here. */
  keyOf(id: string): string | undefined
  /**
   * Opens a body. Undefined if its key is not received yet (the call requests the key), or if the body was changed.
   */
  open(owner: SealedOwner, sealed: SealedBody): string | undefined
  /** Requests the key of a body, for `receive`. */
  want(sealed: SealedBody): void
  /** Number of calls of `open` that lacked a key that was not received yet. */
  lacking(): number
  /** Receives every requested key. */
  receive(): Promise<void>
}

interface KeyPairParts {
  readonly encapsulation: KeyEncapsulation | undefined
  readonly aes: InstantCipher | undefined
}

/** The pairs of these keys, for a book with any of these names; none if the host has no X25519. */
export async function createKeyPairs(
  { encapsulation, aes }: KeyPairParts,
  secrets: ReadonlyMap<string, Uint8Array>,
  books: readonly string[],
): Promise<KeyPairs> {
  const byKey = new Map<string, Pair>()
  for (const [kid, secret] of secrets) {
    const pair = await encapsulation?.pair(secret)
    if (pair) byKey.set(kid, { ...pair, id: pairId(pair.publicKey) })
  }
  const keyById = new Map([...byKey].map(([kid, { id }]) => [id, kid]))
  /** By pair and encapsulated key: a key for each name of the book; empty if the key can't be received. */
  const received = new Map<string, readonly { readonly book: string; readonly key: InstantKey }[]>()
  const wanted = new Map<string, { readonly pair: Pair; readonly encapsulated: Uint8Array }>()

  /** The parts of a body with its pair; undefined if it was not sealed to a pair that is here. */
  const partsOf = (sealed: SealedBody) => {
    const pair = byKey.get(keyById.get(sealed.kid) ?? '')
    const bytes = pair && fromBase64(sealed.ct)
    if (!pair || !bytes || bytes.length <= publicKeyBytes) return undefined
    const encapsulated = bytes.subarray(0, publicKeyBytes)
    return { pair, encapsulated, ct: bytes.subarray(publicKeyBytes), name: pair.id + toBase64(encapsulated) }
  }

  let lacking = 0

  const want = (sealed: SealedBody) => {
    const parts = partsOf(sealed)
    if (parts && !received.has(parts.name)) wanted.set(parts.name, parts)
    return parts
  }

  return {
    publicOf: (kid) => byKey.get(kid)?.publicKey,
    idOf: (kid) => byKey.get(kid)?.id,
    keyOf: (id) => keyById.get(id),
    want: (sealed) => void want(sealed),
    lacking: () => lacking,
    async receive() {
      for (const [name, { pair, encapsulated }] of wanted) {
        const keys = []
        for (const book of books) {
          const secret = await pair.receive(encapsulated, infoOf(book, pair.id))
          const key = secret && aes?.key(secret)
          if (key) keys.push({ book, key })
        }
        received.set(name, keys)
        wanted.delete(name)
      }
    },
    open(owner, sealed) {
      const parts = want(sealed)
      const nonce = fromBase64(sealed.n)
      if (!parts || nonce?.length !== 12) return undefined
      if (!received.has(parts.name)) lacking += 1
      for (const { book, key } of received.get(parts.name) ?? []) {
        const text = key.open(nonce, boundIn(book, owner, sealed), parts.ct)
        if (text !== undefined) return text
      }
      return undefined
    },
  }
}

/** The head of a new sealed body. */
export const headOf = ({ head }: SealedOwner) => (head ? { head } : {})

/** Seals to one public half, for one call. */
export interface Sending {
  readonly half: PublicHalf
  seal(owner: SealedOwner, version: number, text: string): SealedBody
}

/** A sending with its own key; undefined for an invalid public key, or if the host doesn't support it. */
export async function createSending(
  { encapsulation, aes, random }: KeyPairParts & { readonly random: Random },
  half: PublicHalf,
): Promise<Sending | undefined> {
  const kid = pairId(half.publicKey)
  const sent = await encapsulation?.send(half.publicKey, infoOf(half.book, kid))
  const key = sent && aes?.key(sent.secret)
  if (!sent || !key) return undefined
  return {
    half,
    seal(owner, v, text) {
      const nonce = random.bytes(12)
      const ct = key.seal(nonce, boundIn(half.book, owner, { v, kid, head: owner.head }), text)
      const whole = new Uint8Array(publicKeyBytes + ct.length)
      whole.set(sent.encapsulated)
      whole.set(ct, publicKeyBytes)
      return { alg: 'A256GCM', kid, v, n: toBase64(nonce), ct: toBase64(whole), ...headOf(owner) }
    },
  }
}

/** The id of the only such record of a book. */
export const publicKeyId = 'public-key'

export const publicKeyBody = z.strictObject({
  /** X25519 (RFC 7748): 32 bytes of base64url. */
  public_key: z
    .string()
    .refine((text) => fromBase64Url(text)?.length === publicKeyBytes, 'is not 32 bytes of base64url'),
  /** The name of the book that has the private half; sealed bodies are bound to it. */
  book: z.string().min(1).max(1000),
  added_at: z.string(),
})
type PublicKeyBody = z.output<typeof publicKeyBody>

export const publicKeyKind: Kind<'public_key', PublicKeyBody> = {
  ...ledgerKind,
  name: 'public_key',
  idPrefix: publicKeyId,
  summary: 'The public key of the book: what arrives sensitive where no keys are kept is sealed to it.',
  version: 1,
  schema: publicKeyBody,
  facets: { happened_at: 'added_at' },
  bound: true,
}
