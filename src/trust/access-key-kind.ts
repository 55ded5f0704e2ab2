// The kind of access keys: they travel with the book, so that a key made or revoked on a device counts at its mirror.
import type { Kind } from '../core/kind.ts'
import { accessKeyBody, type AccessKeyBody } from './access-key.ts'

export const accessKeyKind: Kind<'access_key', AccessKeyBody> = {
  name: 'access_key',
  summary: 'A key to this book at its edge: what its holder may do, and the hash by which it is known.',
  version: 1,
  schema: accessKeyBody,
  text: [],
  facets: { happened_at: 'added_at', name: 'name', subject: 'holder' },
  policy: 'remote_wins',
  // What was revoked or forgotten stays so, whatever happened elsewhere meanwhile.
  isFinal: ({ revoked }) => revoked,
  forgetWins: true,
  urgent: true,
  guests: 'none',
  bound: true,
  sync: { push: true, pull: true },
  recallable: () => false,
}
