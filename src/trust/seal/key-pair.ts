// The key pairs of a book, one for each sealing key, and the kind of a book's public key. A copy without keys seals
// to the public half, with a key that only the private half can derive.
// Invariant: such a body is bound to its book, kind and id like any other; on the sealing side, its key is never
// stored and never used for a second call.
import { idPrefixes, nameId } from '../../core/text/name-id.ts'
import type {
  EncapsulationPair,
  InstantCipher,
  InstantKey,
  KeyEncapsulation,
  Random,
} from '../../core/ports.ts'
import { toHex } from '../../core/ids.ts'
import { boundTo, type SealedBody, type SealedOwner, sealingAlgorithm } from '../../core/sealed.ts'
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
export function additionalDataOf(
  book: string,
  owner: SealedOwner,
  sealed: Pick<SealedBody, 'v' | 'kid' | 'head'>,
): string {
  return JSON.stringify(['daybook', book, ...boundTo(owner, sealed)])
}

/** Binds the key of a `OneCallSealer` to the book and the pair. */
const derivationInfo = (book: string, kid: string) => JSON.stringify(['daybook', book, kid])

interface Pair extends EncapsulationPair {
  readonly id: string
}

/** The private halves, on a device. */
export interface KeyPairs {
  /** The public half of the pair derived from the key `kid`. */
  publicKeyOf(kid: string): Uint8Array | undefined
  /** The id of that pair. */
  pairIdOf(kid: string): string | undefined
  /** The id of the key from which the pair `id` is derived; undefined if the key is not here. */
  keyIdOf(id: string): string | undefined
  /**
   * Opens a body. Undefined if its key is not received yet (the call requests the key), or if the body was changed.
   */
  open(owner: SealedOwner, sealed: SealedBody): string | undefined
  /** Requests the key of a body, for `receiveRequestedKeys`. */
  requestKey(sealed: SealedBody): void
  /**
   * Number of calls of `open` so far that had no key, because it was not received yet. If it grew during a
   * read, the caller receives the requested keys and reads again.
   */
  missingKeyCount(): number
  /** Receives every requested key. */
  receiveRequestedKeys(): Promise<void>
}

interface KeyPairCrypto {
  readonly encapsulation: KeyEncapsulation | undefined
  readonly aes: InstantCipher | undefined
}

/** The pairs of these keys, for a book with any of these names; none if the host has no X25519. */
export async function createKeyPairs(
  { encapsulation, aes }: KeyPairCrypto,
  secrets: ReadonlyMap<string, Uint8Array>,
  books: readonly string[],
): Promise<KeyPairs> {
  const pairByKeyId = new Map<string, Pair>()
  for (const [kid, secret] of secrets) {
    const pair = await encapsulation?.pair(secret)
    if (pair) pairByKeyId.set(kid, { ...pair, id: pairId(pair.publicKey) })
  }
  const keyIdByPairId = new Map([...pairByKeyId].map(([kid, { id }]) => [id, kid]))
  /**
   * By the `name` of `parseSealed`, of pair and encapsulated key: a key for each name of the book; empty if
   * the key can't be received.
   */
  const received = new Map<string, readonly { readonly book: string; readonly key: InstantKey }[]>()
  const requested = new Map<string, { readonly pair: Pair; readonly encapsulated: Uint8Array }>()

  /** The pair, encapsulated key and ciphertext of a body; undefined if it was not sealed to a pair that is here. */
  const parseSealed = (sealed: SealedBody) => {
    const pair = pairByKeyId.get(keyIdByPairId.get(sealed.kid) ?? '')
    const bytes = pair && fromBase64(sealed.ct)
    if (!pair || !bytes || bytes.length <= publicKeyBytes) return undefined
    const encapsulated = bytes.subarray(0, publicKeyBytes)
    return { pair, encapsulated, ct: bytes.subarray(publicKeyBytes), name: pair.id + toBase64(encapsulated) }
  }

  let missingKeys = 0

  const request = (sealed: SealedBody) => {
    const parsed = parseSealed(sealed)
    if (parsed && !received.has(parsed.name)) requested.set(parsed.name, parsed)
    return parsed
  }

  return {
    publicKeyOf: (kid) => pairByKeyId.get(kid)?.publicKey,
    pairIdOf: (kid) => pairByKeyId.get(kid)?.id,
    keyIdOf: (id) => keyIdByPairId.get(id),
    requestKey: (sealed) => void request(sealed),
    missingKeyCount: () => missingKeys,
    async receiveRequestedKeys() {
      for (const [name, { pair, encapsulated }] of requested) {
        const keys = []
        for (const book of books) {
          const secret = await pair.receive(encapsulated, derivationInfo(book, pair.id))
          const key = secret && aes?.key(secret)
          if (key) keys.push({ book, key })
        }
        received.set(name, keys)
        requested.delete(name)
      }
    },
    open(owner, sealed) {
      const parsed = request(sealed)
      const nonce = fromBase64(sealed.n)
      if (!parsed || nonce?.length !== 12) return undefined
      if (!received.has(parsed.name)) missingKeys += 1
      for (const { book, key } of received.get(parsed.name) ?? []) {
        const text = key.open(nonce, additionalDataOf(book, owner, sealed), parsed.ct)
        if (text !== undefined) return text
      }
      return undefined
    },
  }
}

/** The head of a new sealed body. */
export const headField = ({ head }: SealedOwner) => (head ? { head } : {})

/** Seals to one public half, for one call. */
export interface OneCallSealer {
  readonly half: PublicHalf
  seal(owner: SealedOwner, version: number, text: string): SealedBody
}

/** A sealer with a new key; undefined for an invalid public key, or if the host doesn't support it. */
export async function createOneCallSealer(
  { encapsulation, aes, random }: KeyPairCrypto & { readonly random: Random },
  half: PublicHalf,
): Promise<OneCallSealer | undefined> {
  const kid = pairId(half.publicKey)
  const sharedSecret = await encapsulation?.send(half.publicKey, derivationInfo(half.book, kid))
  const key = sharedSecret && aes?.key(sharedSecret.secret)
  if (!sharedSecret || !key) return undefined
  return {
    half,
    seal(owner, v, text) {
      const nonce = random.bytes(12)
      const ct = key.seal(nonce, additionalDataOf(half.book, owner, { v, kid, head: owner.head }), text)
      const ciphertext = new Uint8Array(publicKeyBytes + ct.length)
      ciphertext.set(sharedSecret.encapsulated)
      ciphertext.set(ct, publicKeyBytes)
      return {
        alg: sealingAlgorithm,
        kid,
        v,
        n: toBase64(nonce),
        ct: toBase64(ciphertext),
        ...headField(owner),
      }
    },
  }
}

/** The id of the only such record of a book. */
export const publicKeyId = nameId('public_key', 'book')

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
  idPrefix: idPrefixes.public_key,
  summary: 'The public key of the book: what arrives sensitive where no keys are kept is sealed to it.',
  version: 1,
  schema: publicKeyBody,
  facets: { happened_at: 'added_at' },
  bound: true,
}
