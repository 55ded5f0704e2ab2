// Ports for tests in which nothing is hashed or sealed: using one fails the test.
import type { Cipher, Digest } from '../../../src/core/ports.ts'

const unused = (): never => {
  throw new Error('Nothing is hashed or sealed here.')
}

export const noDigest: Digest = { sha256: unused, start: unused }
export const noCipher: Cipher = { derive: unused }
