// Random bytes in advance: each call of a host's generator costs more than the few bytes of an id.
// Invariant: no byte is returned twice, and none stays in the pool after its return.
import type { Random } from './ports.ts'

const poolBytes = 4096
/** Longer requests, such as keys, get bytes of their own. */
const mostPooled = 16

/** `fill`: fills an array with bytes of the host's cryptographic generator. */
export function createRandomPool(fill: (bytes: Uint8Array<ArrayBuffer>) => void): Random {
  const pool = new Uint8Array(poolBytes)
  let at = poolBytes
  return {
    bytes(count) {
      if (count > mostPooled) {
        const own = new Uint8Array(count)
        fill(own)
        return own
      }
      if (at + count > poolBytes) {
        fill(pool)
        at = 0
      }
      const bytes = pool.slice(at, at + count)
      pool.fill(0, at, at + count)
      at += count
      return bytes
    },
  }
}
