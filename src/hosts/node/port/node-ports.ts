// The engine's ports in Node.
import { createHash, createCipheriv, createDecipheriv } from 'node:crypto'
import { createWebCipher } from '../../../web/web-cipher.ts'
import { webEncapsulation } from '../../../web/web-encapsulation.ts'
import type { Ports, InstantCipher } from '../../../core/ports.ts'
import { createRandomPool } from '../../../core/random-pool.ts'
import { wasmOf } from '../../../web/web-wasm.ts'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const algorithm = 'aes-256-gcm'
const tagBytes = 16

/**
 * Synchronous AES-256-GCM with Node's OpenSSL. The last 16 bytes of a sealed text are the tag. `bound`: a
 * text that must be the same at sealing and opening, so that a sealed text opens only for its record.
 */
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
        // Sealed by another key or for another record: undefined, not an error.
        return undefined
      }
    },
  }),
}

/** Node's clock, randomness and event loop; warnings are process warnings, which Node writes to stderr. */
export const nodePorts: Ports = {
  clock: { now: () => Date.now() },
  random: createRandomPool((bytes) => crypto.getRandomValues(bytes)),
  scheduler: {
    soon: (task) => void setImmediate(task),
    later(delayMs, task) {
      const timer = setTimeout(task, delayMs)
      // Idle work must not keep the process alive.
      timer.unref()
      return () => clearTimeout(timer)
    },
  },
  digest: {
    sha256: (text) => Promise.resolve(createHash('sha256').update(text, 'utf8').digest('hex')),
    start() {
      const hash = createHash('sha256')
      return { update: (piece) => void hash.update(piece, 'utf8'), hex: () => hash.digest('hex') }
    },
  },
  cipher: createWebCipher({
    subtle: crypto.subtle,
    encode: (text) => new TextEncoder().encode(text),
    decode: (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
  }),
  aes: nodeAes,
  encapsulation: webEncapsulation,
  log: {
    warn: (message, details) =>
      process.emitWarning(message, { type: 'Daybook', detail: JSON.stringify(details ?? {}) }),
  },
  wasm: wasmOf(globalThis),
}

/** Compresses in another thread. */
const zip = promisify(gzip)

/** The text as UTF-8, compressed. */
export async function nodeGzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await zip(text))
}
