// The engine's ports in a browser's worker.
import type { Ports } from '../../../core/ports.ts'
import { webPorts } from '../../../web/web-ports.ts'

/** Each message to `port2` runs the oldest of `tasks`. */
const channel = new MessageChannel()
const tasks: (() => void)[] = []
channel.port1.onmessage = () => tasks.shift()?.()

/** The browser's clock, randomness and event loop; warnings are written to the console. */
export const browserPorts: Ports = {
  ...webPorts,
  scheduler: {
    // A message of the worker to itself arrives after calls that already wait, without the minimum delay of
    // timers.
    soon(task) {
      tasks.push(task)
      channel.port2.postMessage(0)
    },
    later: webPorts.scheduler.later,
  },
  log: { warn: (message, details) => console.warn(`daybook: ${message}`, details ?? {}) },
}

/** Gzip of the browser; undefined if the browser has no `CompressionStream`. */
export const browserGzip =
  typeof CompressionStream === 'undefined'
    ? undefined
    : async (text: string): Promise<Uint8Array<ArrayBuffer>> => {
        const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
        return new Uint8Array(await new Response(stream).arrayBuffer())
      }
