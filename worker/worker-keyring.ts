// The keyring of the edge: it verifies. No private key of a book is ever there.
import { createKeyring } from '../src/trust/keyring.ts'

export const workerKeyring = createKeyring<CryptoKey>({
  subtle: crypto.subtle,
  encode: (text) => Uint8Array.from(new TextEncoder().encode(text)),
})
