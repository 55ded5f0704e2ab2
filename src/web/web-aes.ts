// AES-256-GCM at once wherever there is no OpenSSL, by @noble/ciphers: WebCrypto only promises, and a transaction can't wait.
import { gcm } from '@noble/ciphers/aes.js'
import type { InstantCipher } from '../core/ports.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const webAes: InstantCipher = {
  key: (secret) => ({
    seal: (nonce, bound, text) => gcm(secret, nonce, encoder.encode(bound)).encrypt(encoder.encode(text)),
    open(nonce, bound, sealed) {
      try {
        return decoder.decode(gcm(secret, nonce, encoder.encode(bound)).decrypt(sealed))
      } catch {
        // It was not sealed by this key for this owner: an answer, not a failure.
        return undefined
      }
    },
  }),
}
