// The outside world as Node offers it.
import { createHash } from 'node:crypto'
import { createWebCipher } from '../../../web/web-cipher.ts'
import { webEncapsulation } from '../../../web/web-encapsulation.ts'
import type { Ports } from '../../../core/ports.ts'
import { nodeAes } from './node-aes.ts'
import { wasmOf } from '../../../web/web-wasm.ts'

/** Real clock, randomness and event loop; warnings go to stderr. */
export const nodePorts: Ports = {
  clock: { now: () => Date.now() },
  random: { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
  scheduler: {
    soon: (task) => void setImmediate(task),
    later(delayMs, task) {
      const timer = setTimeout(task, delayMs)
      // Idle work must not keep a process alive.
      timer.unref()
      return () => clearTimeout(timer)
    },
  },
  digest: {
    sha256: (text) => Promise.resolve(createHash('sha256').update(text, 'utf8').digest('hex')),
    start() {
      const hash = createHash('sha256')
      return { update: (piece) => void hash.update(piece, 'utf8'), hex: () => hash.digest('hex') }
    },
  },
  cipher: createWebCipher({
    subtle: crypto.subtle,
    encode: (text) => new TextEncoder().encode(text),
    decode: (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
  }),
  aes: nodeAes,
  encapsulation: webEncapsulation,
  log: {
    warn: (message, details) =>
      process.emitWarning(message, { type: 'Daybook', detail: JSON.stringify(details ?? {}) }),
  },
  wasm: wasmOf(globalThis),
}
