// Secrets that nobody has, made as the tests run: none stands in a file.
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

/** One secret, always the same, for tests that want just some. */
export const oneSecret = () => withChecksum('ghp_', 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0')
