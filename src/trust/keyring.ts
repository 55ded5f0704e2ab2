// The keyring over WebCrypto, the same in page, edge and Node: only where the key pair is kept differs by host.
// Invariant: private keys are used through the host's crypto alone; their bytes are never in this program's memory.
import { fromBase64Url, toBase64Url } from '../shape/encoded-bytes.ts'
import { fromDidKey, toDidKey } from '../shape/did-key.ts'
import { DaybookError } from '../core/errors.ts'
import type { Keyring, Signer } from '../core/ports.ts'

/** As much of `SubtleCrypto` as this needs; `Key` is the host's `CryptoKey`. */
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
  /** The key pair of the book, made when there is none. Absent where no private key is kept. */
  readonly takePair?: () => Promise<KeyPair<Key>>
}

const signatureBytes = 64

export function createKeyring<Key>({ subtle, encode, takePair }: KeyringOptions<Key>): Keyring {
  let taken: Promise<Signer> | undefined

  const toBytes = (signed: string | Uint8Array) =>
    typeof signed === 'string' ? encode(signed) : Uint8Array.from(signed)

  const takeSigner = async (take: () => Promise<KeyPair<Key>>): Promise<Signer> => {
    const { publicKey, privateKey } = await take()
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
        // Bytes that are no point of the curve, or a browser that does not know Ed25519: nothing is proved.
        return false
      }
    },
    async signer() {
      if (!takePair) return undefined
      taken ??= takeSigner(takePair)
      try {
        return await taken
      } catch (error) {
        // What failed may succeed later: a full disk, a database that was being deleted.
        taken = undefined
        throw error
      }
    },
  }
}

/** The keyring of a host that was given none: nothing is proved and nothing signed. */
export const emptyKeyring: Keyring = {
  verify: () => Promise.resolve(false),
  signer: () => Promise.resolve(undefined),
}

/** The book's signer, or `signing-off` where no private key is kept. */
export async function needSigner(keys: Keyring): Promise<Signer> {
  const signer = await keys.signer()
  if (signer) return signer
  throw new DaybookError('signing-off')
}
