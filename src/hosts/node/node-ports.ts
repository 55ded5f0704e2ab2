// The outside world as Node offers it.
import { createHash } from 'node:crypto'
import type { Ports } from '../../core/ports.ts'
import { wasmOf } from '../../core/wasm.ts'

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
  digest: { sha256: (text) => Promise.resolve(createHash('sha256').update(text, 'utf8').digest('hex')) },
  log: {
    warn: (message, details) =>
      process.emitWarning(message, { type: 'Daybook', detail: JSON.stringify(details ?? {}) }),
  },
  wasm: wasmOf(globalThis),
}
