// The outside world as a worker of a browser offers it.
import type { Ports } from '../../core/ports.ts'

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
  log: { warn: (message, details) => console.warn(`daybook: ${message}`, details ?? {}) },
}
