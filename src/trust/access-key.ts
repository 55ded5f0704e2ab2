// Access keys: bearer tokens with which a device or a program calls the edge, for one book.
// Invariant: a book stores only the hash of a key, and only the key's creator sees the key, once. A key is 256
// random bits, so SHA-256 needs no salt and no rounds. Comparing takes the same time wherever two hashes differ.
import { idPrefixes } from '../core/text/name-id.ts'
import { z } from 'zod'
import { toBase64Url } from '../shape/encoded-bytes.ts'
import type { Grant } from '../core/access/grant.ts'
import { allowPatterns, denyPatterns, permissions, principal, scopePattern } from './token-schema.ts'
import type { Kind } from '../core/kind.ts'
import { ledgerKind } from './ledger-kind.ts'
import { canonicalInstant } from '../shape/field.ts'

const keyPrefix = 'dbk1.'
/** 16 and 43 characters in base64url: see `keyPattern`. */
const idBytes = 12
const secretBytes = 32
const keyPattern = /^dbk1\.([A-Za-z0-9_-]{16})\.[A-Za-z0-9_-]{43}$/

export const kindNames = z.array(z.string().min(1).max(64)).max(100)

export const accessKeyBody = z.strictObject({
  /** Purpose, in the creator's words. */
  name: z.string().min(1).max(200),
  /** SHA-256 of the key, in hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in hexadecimal'),
  /** True: all rights of the owner. */
  owner: z.boolean(),
  /** The agent that its holder writes as. */
  holder: principal,
  scope: scopePattern,
  allow: allowPatterns.optional(),
  deny: denyPatterns.optional(),
  permissions,
  /** Kinds that it may send and fetch in a sync. Absent: see `keyInput` in access-key-capability.ts. */
  push: kindNames.optional(),
  pull: kindNames.optional(),
  added_at: canonicalInstant,
  expires_at: canonicalInstant.optional(),
  revoked: z.boolean(),
  revoked_at: canonicalInstant.optional(),
})
export type AccessKeyBody = z.output<typeof accessKeyBody>

/** A new key and the id of its record. */
export function makeAccessKey(random: (count: number) => Uint8Array): { id: string; key: string } {
  const idPart = toBase64Url(random(idBytes))
  return {
    id: idPrefixes.access_key + idPart,
    key: `${keyPrefix}${idPart}.${toBase64Url(random(secretBytes))}`,
  }
}

/** True for a text with the prefix of access keys. */
export function hasAccessKeyPrefix(text: string): boolean {
  return text.startsWith(keyPrefix)
}

/** The id of a key's record; undefined for any other text. */
export function parseAccessKeyId(text: string): string | undefined {
  const idPart = keyPattern.exec(text)?.[1]
  return idPart === undefined ? undefined : idPrefixes.access_key + idPart
}

/** The reason why a key is not valid now; undefined if it is valid. */
export function keyFault(
  { revoked, expires_at }: AccessKeyBody,
  now: string,
): 'Key revoked' | 'Key expired' | undefined {
  if (revoked) return 'Key revoked'
  return expires_at !== undefined && expires_at <= now ? 'Key expired' : undefined
}

/** The rights of a key, as the admission takes them. */
export function grantOfKey(
  id: string,
  { owner, holder, scope, allow, deny, permissions: may, push, pull }: AccessKeyBody,
): Grant {
  return { id, owner, agent: holder, scope, allow, deny, permissions: may, push, pull }
}

export const accessKeyKind: Kind<'access_key', AccessKeyBody> = {
  ...ledgerKind,
  name: 'access_key',
  idPrefix: idPrefixes.access_key,
  summary: 'A key to this book at its edge: what its holder may do, and the hash by which it is known.',
  version: 1,
  schema: accessKeyBody,
  facets: { happened_at: 'added_at', name: 'name', subject: 'holder' },
  // A revocation is final, even if another device changes the key.
  isFinal: ({ revoked }) => revoked,
  bound: true,
}
