// The outside world as the edge offers it.
import { sha256 } from '@noble/hashes/sha2.js'
import { createWebCipher } from '../src/bundle/web-cipher.ts'
import { toHex } from '../src/core/ids.ts'
import type { Ports } from '../src/core/ports.ts'
import { wasmOf } from '../src/core/wasm.ts'

const utf8 = new TextEncoder()

/** Real clock, randomness and event loop; warnings go to the log of the worker. */
export const workerPorts: Ports = {
  clock: { now: () => Date.now() },
  random: { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
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
    // WebCrypto hashes whole texts only.
    start() {
      const hash = sha256.create()
      return { update: (piece) => void hash.update(utf8.encode(piece)), hex: () => toHex(hash.digest()) }
    },
  },
  cipher: createWebCipher({
    subtle: crypto.subtle,
    encode: (text) => new Uint8Array(utf8.encode(text)),
    decode: (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
  }),
  log: { warn: (message, details = {}) => console.warn(JSON.stringify({ message, ...details })) },
  wasm: wasmOf(globalThis),
}
