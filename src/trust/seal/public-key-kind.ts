// The kind of a book's public key: the one record to which a copy without keys seals what arrives there sensitive.
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { fromBase64Url } from '../../shape/encoded-bytes.ts'
import { publicKeyBytes } from './key-pair.ts'
import { ledgerKind } from '../ledger-kind.ts'

/** There is one in a book. */
export const publicKeyId = 'public-key'

export const publicKeyBody = z.strictObject({
  /** X25519 (RFC 7748): 32 bytes of base64url. */
  public_key: z
    .string()
    .refine((text) => fromBase64Url(text)?.length === publicKeyBytes, 'is not 32 bytes of base64url'),
  /** The name of the book where the private half is: what is sealed is bound to it. */
  book: z.string().min(1).max(1000),
  added_at: z.string(),
})
export type PublicKeyBody = z.output<typeof publicKeyBody>

export const publicKeyKind: Kind<'public_key', PublicKeyBody> = {
  ...ledgerKind,
  name: 'public_key',
  idPrefix: publicKeyId,
  summary: 'The public key of the book: what arrives sensitive where no keys are kept is sealed to it.',
  version: 1,
  schema: publicKeyBody,
  facets: { happened_at: 'added_at' },
  bound: true,
}
