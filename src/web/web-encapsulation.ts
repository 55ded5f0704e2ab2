// Key encapsulation for the holder of an X25519 pair, by `hpke` over WebCrypto.
// Invariant: invalid bytes, and hosts without X25519, give undefined and never an error.
import {
  AEAD_EXPORT_ONLY,
  CipherSuite,
  KDF_HKDF_SHA256,
  KEM_DHKEM_X25519_HKDF_SHA256,
  type KeyPair,
} from 'hpke'
import type { KeyEncapsulation } from '../core/ports.ts'

const suite = new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_EXPORT_ONLY)
const encoder = new TextEncoder()
/** Purpose of the exported secret, and its length in bytes. */
const exported = { context: encoder.encode('A256GCM'), length: 32 } as const

/** The pair of a 32-byte private key. */
export async function pairOf(privateKey: Uint8Array): Promise<KeyPair<CryptoKey>> {
  // Uses a JWK, because Node's direct way to the public key is experimental.
  const open = await suite.DeserializePrivateKey(privateKey, true)
  const { x = '' } = await crypto.subtle.exportKey('jwk', open)
  const publicKey = await suite.DeserializePublicKey(bytesOf(x))
  return { publicKey, privateKey: await suite.DeserializePrivateKey(privateKey, false) }
}

/** Receives the secret that `encapsulated` carries; rejects with the suite's error. */
export function receiveSecret(
  pair: KeyPair<CryptoKey>,
  encapsulated: Uint8Array,
  info: Uint8Array,
  context: Uint8Array = exported.context,
): Promise<Uint8Array> {
  return suite.ReceiveExport(pair, encapsulated, context, exported.length, { info })
}

/** HKDF-SHA-256 (RFC 5869): 32 bytes that reveal nothing about `secret`, which is also an AES key. */
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
