// Secrets that nobody has, made as the tests run: none stands in a file.
import { base58 } from '@scure/base'
import { sha256 } from '@noble/hashes/sha2.js'
import { crc32 } from '../../src/core/secret/check-digit.ts'

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** As GitHub and npm end their tokens. */
export function withChecksum(prefix: string, body: string): string {
  let rest = crc32(body)
  let sum = ''
  for (let place = 0; place < 6; place += 1) {
    sum = base62.charAt(rest % 62) + sum
    rest = Math.floor(rest / 62)
  }
  return prefix + body + sum
}

/** `digits` with the check digit of ISO/IEC 7812-1 behind it. */
export function withCheckDigit(digits: string): string {
  const sum = [...digits].toReversed().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return digits + String((10 - (sum % 10)) % 10)
}

/** As wallets write bytes (Base58Check). */
export function withDoubleHash(bytes: Uint8Array): string {
  const sum = sha256(sha256(bytes)).slice(0, 4)
  return base58.encode(Uint8Array.from([...bytes, ...sum]))
}

/** The bytes of a key that nobody has. */
export const keyBytes = (seed: number, length = 32) =>
  Uint8Array.from({ length }, (_, at) => (at * at * 31 + at * seed * 7 + seed * 13 + 5) % 256)

/** A private key as wallets import it (WIF): 52 characters for a compressed key, 51 for the older form. */
export const walletKey = (seed: number, isCompressed: boolean) =>
  withDoubleHash(Uint8Array.from([0x80, ...keyBytes(seed), ...(isCompressed ? [1] : [])]))

/** An extended private key (BIP-32), `xprv…`. */
export const extendedKey = (seed: number) =>
  withDoubleHash(
    Uint8Array.from([0x04, 0x88, 0xad, 0xe4, 0, ...keyBytes(seed, 40), 0, ...keyBytes(seed + 1)]),
  )

/** One secret, always the same, for tests that want just some. */
export const oneSecret = () => withChecksum('ghp_', 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0')
