// What guards the keys of a book: a key of the device, or a passphrase. With a passphrase, the parameters stand beside.
import { z } from 'zod'
import { fromBase64, toBase64 } from '../../shape/encoded-bytes.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Cipher, Random, SealingKey } from '../../core/ports.ts'

/** OWASP's least for PBKDF2-HMAC-SHA-256 (2023), and the most that is worth anybody's time. */
const iterations = { written: 600_000, least: 600_000, most: 10_000_000 } as const
const saltBytes = 16

export const guardShape = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('device') }),
  z.strictObject({
    by: z.literal('passphrase'),
    kdf: z.literal('PBKDF2-HMAC-SHA-256'),
    iterations: z.number().int().min(iterations.least).max(iterations.most),
    salt: z.string().max(100),
  }),
])
export type Guard = z.output<typeof guardShape>

/** Short ones fall to a dictionary, whatever the iterations. */
export const passphraseShape = z.string().min(8).max(1024)

export function newGuard(by: Guard['by'], random: Random): Guard {
  if (by === 'device') return { by }
  const salt = toBase64(random.bytes(saltBytes))
  return { by, kdf: 'PBKDF2-HMAC-SHA-256', iterations: iterations.written, salt }
}

export async function deriveGuard(guard: Guard, passphrase: string, cipher: Cipher): Promise<SealingKey> {
  const salt = guard.by === 'passphrase' ? fromBase64(guard.salt) : undefined
  if (guard.by !== 'passphrase' || salt?.length !== saltBytes) {
    throw new DaybookError('invalid-input', '`salt`: 16 bytes of base64 are wanted.', {
      details: { path: 'salt' },
    })
  }
  return cipher.derive(passphrase, salt, guard.iterations)
}
