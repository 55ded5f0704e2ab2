// The cipher port over WebCrypto. Each host passes its own WebCrypto and text encoding.
import { DaybookError } from '../core/errors.ts'
import type { Cipher, SealingKey } from '../core/ports.ts'

/** WebCrypto's types need bytes with an `ArrayBuffer` of their own: the copies below make them. */
type Bytes = Uint8Array<ArrayBuffer>

/** The part of `SubtleCrypto` that the cipher uses. */
export interface CipherSubtle<Key> {
  importKey(
    format: 'raw',
    key: Bytes,
    algorithm: string,
    extractable: boolean,
    usages: KeyUse[],
  ): Promise<Key>
  deriveBits(
    algorithm: { name: 'PBKDF2'; hash: 'SHA-256'; salt: Bytes; iterations: number },
    key: Key,
    bits: number,
  ): Promise<ArrayBuffer>
  encrypt(algorithm: AesGcm, key: Key, data: Bytes): Promise<ArrayBuffer>
  decrypt(algorithm: AesGcm, key: Key, data: Bytes): Promise<ArrayBuffer>
}
type KeyUse = 'deriveBits' | 'encrypt' | 'decrypt'
interface AesGcm {
  readonly name: 'AES-GCM'
  readonly iv: Bytes
  readonly additionalData: Bytes
}

export interface CipherParts<Key> {
  readonly subtle: CipherSubtle<Key>
  encode(text: string): Bytes
  /** Decodes UTF-8. Throws for invalid bytes. */
  decode(bytes: Bytes): string
}

export function createWebCipher<Key>({ subtle, encode, decode }: CipherParts<Key>): Cipher {
  const derive = async (passphrase: Bytes, salt: Bytes, iterations: number): Promise<Bytes> => {
    try {
      const base = await subtle.importKey('raw', passphrase, 'PBKDF2', false, ['deriveBits'])
      const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations } as const
      return new Uint8Array(await subtle.deriveBits(algorithm, base, 256))
    } catch (cause) {
      // Cloudflare allows at most 100,000 iterations. Throw, because fewer iterations make a weaker key.
      throw new DaybookError('cipher-off', undefined, { details: { iterations }, cause })
    }
  }
  return {
    async derive(passphrase, salt, iterations) {
      // Normalise the passphrase, so that composed and decomposed characters give the same key (as in RFC 8265).
      const bits = await derive(encode(passphrase.normalize('NFC')), new Uint8Array(salt), iterations)
      const key = await subtle.importKey('raw', bits, 'AES-GCM', false, ['encrypt', 'decrypt'])
      return sealingKeyOf(key, { subtle, encode, decode })
    },
  }
}

/**
 * Creates a sealing key from an existing AES-GCM key. `bound`: a text that is authenticated with the sealed
 * text, and must be the same to open it.
 */
export function sealingKeyOf<Key>(key: Key, { subtle, encode, decode }: CipherParts<Key>): SealingKey {
  const parameters = (nonce: Uint8Array, bound: string): AesGcm => ({
    name: 'AES-GCM',
    iv: new Uint8Array(nonce),
    additionalData: encode(bound),
  })
  return {
    async seal(nonce, bound, text) {
      return new Uint8Array(await subtle.encrypt(parameters(nonce, bound), key, encode(text)))
    },
    async open(nonce, bound, sealed) {
      // Return undefined for a text of another key; WebCrypto gives no reason.
      const opened = await subtle
        .decrypt(parameters(nonce, bound), key, new Uint8Array(sealed))
        .catch(() => undefined)
      return opened && decode(new Uint8Array(opened))
    },
  }
}
