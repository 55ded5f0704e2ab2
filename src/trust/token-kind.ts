// The kinds of trust: control tokens, and the keys of the devices whose signatures a book takes for its owner's.
import { z } from 'zod'
import type { Kind } from '../core/kind.ts'
import { ledgerKind } from './ledger-kind.ts'
import { controlToken, type ControlToken } from './token-schema.ts'

export const tokenKind: Kind<'token', ControlToken> = {
  ...ledgerKind,
  name: 'token',
  idPrefix: 'token-',
  summary: 'A control token: what its holder may do, where and until when; signed, revocable.',
  version: 2,
  schema: controlToken,
  facets: { happened_at: 'granted_at', subject: 'granted_to', name: 'type' },
  // What was revoked stays so, whatever happened elsewhere meanwhile.
  isFinal: ({ revoked }) => revoked,
  guarded: true,
  plural: 'control_tokens',
}

const keyBody = z.strictObject({ added_at: z.string() })

/** A record whose id is the `did:key`: only who holds the book's key can make one, so the mirror may rely on it. */
export const keyKind: Kind<'key', z.output<typeof keyBody>> = {
  ...ledgerKind,
  name: 'key',
  idPrefix: 'did:key:',
  summary: 'The public key of a device of the owner, whose signatures count in this book.',
  version: 1,
  schema: keyBody,
  facets: { happened_at: 'added_at' },
  bound: true,
}
