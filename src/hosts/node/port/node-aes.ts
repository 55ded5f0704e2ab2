// AES-256-GCM at once, by Node's own OpenSSL.
import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { InstantCipher } from '../../../core/ports.ts'

const algorithm = 'aes-256-gcm'
const tagBytes = 16

export const nodeAes: InstantCipher = {
  key: (secret) => ({
    seal(nonce, bound, text) {
      const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(bound, 'utf8'))
      return Uint8Array.from(
        Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]),
      )
    },
    open(nonce, bound, sealed) {
      if (sealed.length < tagBytes) return undefined
      const decipher = createDecipheriv(algorithm, secret, nonce, { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(bound, 'utf8'))
      decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
      try {
        const plain = Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()])
        return plain.toString('utf8')
      } catch {
        // It was not sealed by this key for this owner: an answer, not a failure.
        return undefined
      }
    },
  }),
}
