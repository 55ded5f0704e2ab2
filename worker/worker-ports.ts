// Ports and keyring of the edge on Cloudflare.
import type { Ports } from '../src/core/ports.ts'
import { webPorts } from '../src/web/web-ports.ts'
import { createKeyring } from '../src/trust/keyring.ts'

/** Clock, randomness and event loop of the platform. Warnings go to the log of the Worker. */
export const workerPorts: Ports = {
  ...webPorts,
  log: { warn: (message, details = {}) => console.warn(JSON.stringify({ message, ...details })) },
}

/** Verifies only: the edge never has a private key of a book. */
export const workerKeyring = createKeyring<CryptoKey>({
  subtle: crypto.subtle,
  encode: (text) => Uint8Array.from(new TextEncoder().encode(text)),
})
