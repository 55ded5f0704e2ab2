// A sealer for worlds of devices: real AES-256-GCM under keys that a test hands out and takes away.
import { gcm } from '@noble/ciphers/aes.js'
import { fromBase64, toBase64 } from '../../src/shape/encoded-bytes.ts'
import {
  boundTo,
  lockedError,
  type SealedBody,
  type SealedOwner,
  type Sealer,
} from '../../src/core/sealed.ts'

export interface TestSealer extends Sealer {
  /** The keys it has, by number; the last one seals. */
  keys: readonly number[]
}

const kidOf = (n: number) => `k_${n.toString(16).padStart(16, '0')}`
const secretOf = (n: number) => new Uint8Array(32).fill(n)
const encoder = new TextEncoder()
const decoder = new TextDecoder()
let serial = 0

export function createTestSealer(keys: readonly number[] = [1]): TestSealer {
  const bound = (owner: SealedOwner, sealed: Pick<SealedBody, 'v' | 'kid' | 'head'>) =>
    encoder.encode(JSON.stringify(['world', ...boundTo(owner, sealed)]))
  const sealer: TestSealer = {
    keys,
    current() {
      const last = sealer.keys.at(-1)
      return last === undefined ? undefined : kidOf(last)
    },
    reason: (kid) =>
      sealer.keys.length === 0
        ? 'passphrase'
        : sealer.keys.some((n) => kidOf(n) === kid)
          ? 'altered'
          : 'key-missing',
    seal(owner, v, text) {
      const last = sealer.keys.at(-1)
      if (last === undefined) throw lockedError(sealer, owner)
      const nonce = new Uint8Array(12)
      new DataView(nonce.buffer).setUint32(0, ++serial)
      const ct = gcm(secretOf(last), nonce, bound(owner, { v, kid: kidOf(last), head: owner.head })).encrypt(
        encoder.encode(text),
      )
      return {
        alg: 'A256GCM',
        kid: kidOf(last),
        v,
        n: toBase64(nonce),
        ct: toBase64(ct),
        ...(owner.head ? { head: owner.head } : {}),
      }
    },
    open(owner, { kid, v, n, ct, head }) {
      const key = sealer.keys.find((one) => kidOf(one) === kid)
      const [nonce, bytes] = [fromBase64(n), fromBase64(ct)]
      if (key === undefined || !nonce || !bytes) return undefined
      try {
        return decoder.decode(gcm(secretOf(key), nonce, bound(owner, { v, kid, head })).decrypt(bytes))
      } catch {
        return undefined
      }
    },
  }
  return sealer
}
