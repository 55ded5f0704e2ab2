// The outside world as the edge offers it.
import { toHex } from '../src/core/ids.ts'
import type { Ports } from '../src/core/ports.ts'
import { wasmOf } from '../src/core/wasm.ts'

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
      return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
    },
  },
  log: { warn: (message, details = {}) => console.warn(JSON.stringify({ message, ...details })) },
  wasm: wasmOf(globalThis),
}
