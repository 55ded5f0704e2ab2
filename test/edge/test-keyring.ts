// A keyring that signs, in workerd, for tests: no book's private key is ever at the edge otherwise.
import type { Keyring } from '../../src/core/ports.ts'
import { createKeyring } from '../../src/trust/keyring.ts'

/** A new key, kept in memory. */
export function openTestKeyring(): Keyring {
  return createKeyring<CryptoKey>({
    subtle: crypto.subtle,
    encode: (text) => Uint8Array.from(new TextEncoder().encode(text)),
    async getOrCreatePair() {
      const pair = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair
      const publicKey = new Uint8Array((await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer)
      return { publicKey, privateKey: pair.privateKey }
    },
  })
}
