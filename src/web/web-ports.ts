// Ports over the web platform: clock, randomness, timers, hashes, ciphers, key encapsulation and WebAssembly.
import { sha256 } from '@noble/hashes/sha2.js'
import { toHex } from '../core/ids.ts'
import type { InstantCipher, Ports } from '../core/ports.ts'
import { createRandomPool } from '../core/random-pool.ts'
import { createWebCipher } from './web-cipher.ts'
import { webEncapsulation } from './web-encapsulation.ts'
import { wasmOf } from './web-wasm.ts'
import { gcm } from '@noble/ciphers/aes.js'

const utf8 = new TextEncoder()

// `ignoreBOM`: a U+FEFF at the start stays in the text.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Synchronous AES-256-GCM of @noble/ciphers, for hosts without OpenSSL. WebCrypto is asynchronous, and a transaction
 * can't wait for it. `bound`: a text that is authenticated with the sealed text, and must be the same to open
 * it.
 */
export const webAes: InstantCipher = {
  key: (secret) => ({
    seal: (nonce, bound, text) => gcm(secret, nonce, utf8.encode(bound)).encrypt(utf8.encode(text)),
    open(nonce, bound, sealed) {
      try {
        return decoder.decode(gcm(secret, nonce, utf8.encode(bound)).decrypt(sealed))
      } catch {
        // Another key or another record sealed the text: return undefined.
        return undefined
      }
    },
  }),
}

/** The ports; each host adds its `log`, and may replace others. */
export const webPorts: Omit<Ports, 'log'> = {
  clock: { now: () => Date.now() },
  random: createRandomPool((bytes) => crypto.getRandomValues(bytes)),
  scheduler: {
    soon: (task) => void setTimeout(task, 0),
    later(delayMs, task) {
      const timer = setTimeout(task, delayMs)
      return () => clearTimeout(timer)
    },
  },
  digest: {
    async sha256(text) {
      return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(text))))
    },
    // WebCrypto can't hash a text in pieces: use @noble/hashes.
    start() {
      const hash = sha256.create()
      return { update: (piece) => void hash.update(utf8.encode(piece)), hex: () => toHex(hash.digest()) }
    },
  },
  cipher: createWebCipher({
    subtle: crypto.subtle,
    encode: (text) => new Uint8Array(utf8.encode(text)),
    decode: (bytes) => decoder.decode(bytes),
  }),
  aes: webAes,
  encapsulation: webEncapsulation,
  wasm: wasmOf(globalThis),
}
