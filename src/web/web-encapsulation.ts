// Key encapsulation for the holder of an X25519 pair, by `hpke` over WebCrypto.
// Invariant: `webEncapsulation` answers invalid bytes, or a host without X25519, with undefined and not with an
// error.
import {
  AEAD_EXPORT_ONLY,
  CipherSuite,
  KDF_HKDF_SHA256,
  KEM_DHKEM_X25519_HKDF_SHA256,
  type KeyPair,
} from 'hpke'
import type { KeyEncapsulation } from '../core/ports.ts'

/** Exports secrets and encrypts nothing: the caller encrypts with the secret. */
const suite = new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_EXPORT_ONLY)
const encoder = new TextEncoder()
/** `context`: purpose of the exported secret. `length`: its bytes. */
const exported = { context: encoder.encode('A256GCM'), length: 32 } as const

/** Returns the key pair of a private key of 32 bytes. Rejects for invalid bytes. */
export async function pairOf(privateKey: Uint8Array): Promise<KeyPair<CryptoKey>> {
  // Get the public key from a JWK, because Node's direct method is experimental.
  // `true`: extractable, for the export below.
  const open = await suite.DeserializePrivateKey(privateKey, true)
  const { x = '' } = await crypto.subtle.exportKey('jwk', open)
  const publicKey = await suite.DeserializePublicKey(bytesOf(x))
  return { publicKey, privateKey: await suite.DeserializePrivateKey(privateKey, false) }
}

/** Returns the secret in `encapsulated`. Rejects with the suite's error. */
export function receiveSecret(
  pair: KeyPair<CryptoKey>,
  encapsulated: Uint8Array,
  info: Uint8Array,
  context: Uint8Array = exported.context,
): Promise<Uint8Array> {
  return suite.ReceiveExport(pair, encapsulated, context, exported.length, { info })
}

/**
 * Derives a private key of 32 bytes with HKDF-SHA-256 (RFC 5869): `secret` is also an AES key, and the result reveals
 * nothing about it. Never change the texts: existing pairs depend on them.
 */
async function privateKeyOf(secret: Uint8Array): Promise<Uint8Array> {
  const base = await crypto.subtle.importKey('raw', new Uint8Array(secret), 'HKDF', false, ['deriveBits'])
  const info = encoder.encode('daybook X25519')
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, base, 256))
}

function bytesOf(base64url: string): Uint8Array {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

const none = () => undefined

export const webEncapsulation: KeyEncapsulation = {
  async pair(secret) {
    const pair = await privateKeyOf(secret).then(pairOf).catch(none)
    if (!pair) return undefined
    const publicKey = await suite.SerializePublicKey(pair.publicKey)
    return {
      publicKey,
      receive: (encapsulated, info) => receiveSecret(pair, encapsulated, encoder.encode(info)).catch(none),
    }
  },
  async send(publicKey, info) {
    try {
      const key = await suite.DeserializePublicKey(publicKey)
      const sent = await suite.SendExport(key, exported.context, exported.length, {
        info: encoder.encode(info),
      })
      return { encapsulated: sent.encapsulatedSecret, secret: sent.exportedSecret }
    } catch {
      return undefined
    }
  },
}
