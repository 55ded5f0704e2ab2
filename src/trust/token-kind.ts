// The kinds of trust: control tokens, and the keys of the devices whose signatures a book takes for its owner's.
import { z } from 'zod'
import type { Kind } from '../core/kind.ts'
import { controlToken, type ControlToken } from './token-schema.ts'

export const tokenKind: Kind<'token', ControlToken> = {
  name: 'token',
  summary: 'A control token: what its holder may do, where and until when; signed, revocable.',
  version: 1,
  schema: controlToken,
  text: [],
  facets: { happened_at: 'granted_at', subject: 'granted_to', name: 'type' },
  policy: 'remote_wins',
  // What was revoked or forgotten stays so, whatever happened elsewhere meanwhile.
  isFinal: ({ revoked }) => revoked,
  forgetWins: true,
  urgent: true,
  guests: 'none',
  guarded: true,
  plural: 'control_tokens',
  sync: { push: true, pull: true },
  recallable: () => false,
}

const keyBody = z.strictObject({ added_at: z.string() })

/** A record whose id is the `did:key`: only who holds the book's key can make one, so the mirror may rely on it. */
export const keyKind: Kind<'key', z.output<typeof keyBody>> = {
  name: 'key',
  summary: 'The public key of a device of the owner, whose signatures count in this book.',
  version: 1,
  schema: keyBody,
  text: [],
  facets: { happened_at: 'added_at' },
  policy: 'remote_wins',
  forgetWins: true,
  urgent: true,
  guests: 'none',
  bound: true,
  sync: { push: true, pull: true },
  recallable: () => false,
}
