// The outside world as a worker of a browser offers it.
import { sha256 } from '@noble/hashes/sha2.js'
import { createWebCipher } from '../../bundle/web-cipher.ts'
import { toHex } from '../../core/ids.ts'
import type { Ports } from '../../core/ports.ts'
import { browserAes } from './browser-aes.ts'
import { wasmOf } from '../../core/wasm.ts'

const turn = new MessageChannel()
const turns: (() => void)[] = []
turn.port1.onmessage = () => turns.shift()?.()

const utf8 = new TextEncoder()

/** Real clock, randomness and event loop; warnings go to the console. */
export const browserPorts: Ports = {
  clock: { now: () => Date.now() },
  random: { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
  scheduler: {
    // A message to oneself queues behind the calls that already wait, without the clamping of timers.
    soon(task) {
      turns.push(task)
      turn.port2.postMessage(0)
    },
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
    encode: (text) => utf8.encode(text),
    decode: (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
  }),
  aes: browserAes,
  log: { warn: (message, details) => console.warn(`daybook: ${message}`, details ?? {}) },
  wasm: wasmOf(globalThis),
}
