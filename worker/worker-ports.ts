// The outside world as the edge offers it.
import type { Ports } from '../src/core/ports.ts'
import { webPorts } from '../src/web/web-ports.ts'

/** Real clock, randomness and event loop; warnings go to the log of the worker. */
export const workerPorts: Ports = {
  ...webPorts,
  log: { warn: (message, details = {}) => console.warn(JSON.stringify({ message, ...details })) },
}
