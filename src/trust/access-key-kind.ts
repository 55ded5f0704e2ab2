// The kind of access keys: they travel with the book, so that a key made or revoked on a device counts at its mirror.
import type { Kind } from '../core/kind.ts'
import { accessKeyBody, type AccessKeyBody } from './access-key.ts'
import { ledgerKind } from './ledger-kind.ts'

export const accessKeyKind: Kind<'access_key', AccessKeyBody> = {
  ...ledgerKind,
  name: 'access_key',
  idPrefix: 'key-',
  summary: 'A key to this book at its edge: what its holder may do, and the hash by which it is known.',
  version: 1,
  schema: accessKeyBody,
  facets: { happened_at: 'added_at', name: 'name', subject: 'holder' },
  // A revoked key stays revoked, whatever happened elsewhere meanwhile.
  isFinal: ({ revoked }) => revoked,
  bound: true,
}
