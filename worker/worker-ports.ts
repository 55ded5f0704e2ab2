// Ports of the edge, and its keyring.
import type { Ports } from '../src/core/ports.ts'
import { webPorts } from '../src/web/web-ports.ts'
import { createKeyring } from '../src/trust/keyring.ts'

/** Real clock, randomness and event loop; warnings go to the log of the worker. */
export const workerPorts: Ports = {
  ...webPorts,
  log: { warn: (message, details = {}) => console.warn(JSON.stringify({ message, ...details })) },
}

/** Verifies only. The edge never has a private key of a book. */
export const workerKeyring = createKeyring<CryptoKey>({
  subtle: crypto.subtle,
  encode: (text) => Uint8Array.from(new TextEncoder().encode(text)),
})
