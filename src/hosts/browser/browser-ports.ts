// The outside world as a worker of a browser offers it.
import { toHex } from '../../core/ids.ts'
import type { Ports } from '../../core/ports.ts'
import { wasmOf } from '../../core/wasm.ts'

const turn = new MessageChannel()
const turns: (() => void)[] = []
turn.port1.onmessage = () => turns.shift()?.()

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
    sha256: async (text) =>
      toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))),
  },
  log: { warn: (message, details) => console.warn(`daybook: ${message}`, details ?? {}) },
  wasm: wasmOf(globalThis),
}
