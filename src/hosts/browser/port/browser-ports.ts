// The outside world as a worker of a browser offers it.
import type { Ports } from '../../../core/ports.ts'
import { webPorts } from '../../../web/web-ports.ts'

const turn = new MessageChannel()
const turns: (() => void)[] = []
turn.port1.onmessage = () => turns.shift()?.()

/** Real clock, randomness and event loop; warnings go to the console. */
export const browserPorts: Ports = {
  ...webPorts,
  scheduler: {
    // A message to oneself queues behind the calls that already wait, without the clamping of timers.
    soon(task) {
      turns.push(task)
      turn.port2.postMessage(0)
    },
    later: webPorts.scheduler.later,
  },
  log: { warn: (message, details) => console.warn(`daybook: ${message}`, details ?? {}) },
}
