// The keyring over WebCrypto, for page, edge and Node. Hosts differ only in the storage of the key pair.
// Invariant: only the host's crypto uses private keys; their bytes are never in this program's memory.
import { fromBase64Url, toBase64Url } from '../shape/encoded-bytes.ts'
import { fromDidKey, toDidKey } from '../shape/did.ts'
import { DaybookError } from '../core/errors.ts'
import type { Keyring, Signer } from '../core/ports.ts'

/** The part of `SubtleCrypto` that a keyring needs. `Key` is the host's `CryptoKey`. */
export interface SubtleLike<Key> {
  importKey(
    format: 'raw',
    data: Uint8Array<ArrayBuffer>,
    algorithm: 'Ed25519',
    extractable: boolean,
    usages: ['verify'],
  ): Promise<Key>
  sign(algorithm: 'Ed25519', key: Key, data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer>
  verify(
    algorithm: 'Ed25519',
    key: Key,
    signature: Uint8Array<ArrayBuffer>,
    data: Uint8Array<ArrayBuffer>,
  ): Promise<boolean>
}

export interface KeyPair<Key> {
  /** The 32 bytes of the public key. */
  readonly publicKey: Uint8Array
  readonly privateKey: Key
}

export interface KeyringOptions<Key> {
  readonly subtle: SubtleLike<Key>
  readonly encode: (text: string) => Uint8Array<ArrayBuffer>
  /**
   * Returns the key pair of the book, and creates it if missing. Absent: this host stores no private key, so there
   * is no signer.
   */
  readonly getOrCreatePair?: () => Promise<KeyPair<Key>>
}

const signatureBytes = 64

export function createKeyring<Key>({ subtle, encode, getOrCreatePair }: KeyringOptions<Key>): Keyring {
  let signerPromise: Promise<Signer> | undefined

  const toBytes = (content: string | Uint8Array) =>
    typeof content === 'string' ? encode(content) : Uint8Array.from(content)

  const createSigner = async (getOrCreatePair: () => Promise<KeyPair<Key>>): Promise<Signer> => {
    const { publicKey, privateKey } = await getOrCreatePair()
    return {
      key: toDidKey(publicKey),
      sign: async (text) =>
        toBase64Url(new Uint8Array(await subtle.sign('Ed25519', privateKey, encode(text)))),
    }
  }

  return {
    async verify(key, signed, signature) {
      const keyBytes = fromDidKey(key)
      const bytes = fromBase64Url(signature)
      if (!keyBytes || bytes?.length !== signatureBytes) return false
      try {
        const publicKey = await subtle.importKey('raw', Uint8Array.from(keyBytes), 'Ed25519', false, [
          'verify',
        ])
        return await subtle.verify('Ed25519', publicKey, Uint8Array.from(bytes), toBytes(signed))
      } catch {
        // An invalid point of the curve, or a browser without Ed25519: the signature is not verified.
        return false
      }
    },
    async signer() {
      if (!getOrCreatePair) return undefined
      signerPromise ??= createSigner(getOrCreatePair)
      try {
        return await signerPromise
      } catch (error) {
        // A later call may succeed, after a full disk, or a database that was being deleted.
        signerPromise = undefined
        throw error
      }
    },
  }
}

/** The keyring of a host without one. It verifies nothing and signs nothing. */
export const emptyKeyring: Keyring = {
  verify: () => Promise.resolve(false),
  signer: () => Promise.resolve(undefined),
}

/** The book's signer; throws `signing-off` if no private key is stored. */
export async function requireSigner(keys: Keyring): Promise<Signer> {
  const signer = await keys.signer()
  if (signer) return signer
  throw new DaybookError('signing-off')
}
