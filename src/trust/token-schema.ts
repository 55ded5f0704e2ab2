// The shape of a control token: its holder, rights, scope, time and signer. Also the kinds `token` and `key`.
import { z } from 'zod'
import { fromDidKey } from '../shape/did.ts'
import { idPrefixes } from '../core/text/name-id.ts'
import { isRecordId } from '../core/ids.ts'
import { patternLimit } from '../core/access/reach.ts'
import { parseScope } from '../core/access/scope.ts'
import type { Kind } from '../core/kind.ts'
import { ledgerKind } from './ledger-kind.ts'
import { canonicalInstant } from '../shape/field.ts'
import { someText } from '../shape/sound-text.ts'

/** Most ancestors of a token. */
export const maxAncestors = 8

/** A signed time in canonical form: another spelling would be another signed text. */
const signedInstant = canonicalInstant

export const tokenId = z.string().refine(isRecordId, 'is not a token id (1 to 128 letters, digits, . _ : -)')
/** Segments separated by `:` and `.`. `*` is one segment; `**` at the end is all further segments. */
export const scopePattern = z.string().refine((value) => parseScope(value) !== undefined, 'is not a scope')
/** Further allowed scopes: one less than a reach may have, because `scope` is one of them. */
export const allowPatterns = z.array(scopePattern).max(patternLimit - 1)
/** Denied scopes. */
export const denyPatterns = z.array(scopePattern).max(patternLimit)
export const tokenType = someText(200)
export const permissions = z.array(someText(200)).max(64)
export const principal = someText(1000)

const didKey = z.string().refine((value) => fromDidKey(value) !== undefined, 'is not a did:key of Ed25519')
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in hexadecimal')

const claims = {
  token_id: tokenId,
  /** A built-in or registered type, see token-capability.ts. */
  type: tokenType,
  scope: scopePattern,
  /** Further allowed scopes, and denied ones. An older version that knows neither rejects a token with them. */
  allow: allowPatterns.optional(),
  deny: denyPatterns.optional(),
  /** Rights, and patterns over capability ids. */
  permissions,
  /** The key that signed the token. */
  granted_by: didKey,
  /** The holder: an agent's name, or a `did:key` that may sign tokens below this one. */
  granted_to: principal,
  granted_at: signedInstant,
  not_before: signedInstant.optional(),
  expires_at: signedInstant,
  /** The ids of its ancestors, the nearest first. */
  delegation_chain: z.array(tokenId).max(maxAncestors),
  /** SHA-256 over the parent's lineage hash and the parent, so that one value covers the whole chain. */
  lineage_hash: hash,
  /** SHA-256 of the secret in its bearer text. Absent in older tokens, which can't be presented. */
  secret_hash: hash.optional(),
  revoked: z.boolean(),
  revoked_at: signedInstant.optional(),
  revocation_reason: z.string().max(2000).optional(),
}

export const controlToken = z.strictObject({ ...claims, signature: z.string().min(1).max(200) })
export type ControlToken = z.output<typeof controlToken>

/** A token for callers that may see it but not present it. Guests get neither its hashes nor its signature. */
export const shownToken = z.looseObject({
  ...claims,
  lineage_hash: hash.optional(),
  signature: z.string().optional(),
})
export type ShownToken = z.output<typeof shownToken>

export const tokenKind: Kind<'token', ControlToken> = {
  ...ledgerKind,
  name: 'token',
  idPrefix: idPrefixes.token,
  summary: 'A control token: what its holder may do, where and until when; signed, revocable.',
  version: 2,
  schema: controlToken,
  facets: { happened_at: 'granted_at', subject: 'granted_to', name: 'type' },
  // A revocation is final, even if another device changes the token.
  isFinal: ({ revoked }) => revoked,
  grantsRights: true,
  plural: 'control_tokens',
}

const keyBody = z.strictObject({ added_at: z.string() })

/**
 * A signing key of the owner. The id is the `did:key`. Only a holder of the book's key can make such a
 * record, so the mirror may rely on it.
 */
export const signingKeyKind: Kind<'key', z.output<typeof keyBody>> = {
  ...ledgerKind,
  name: 'key',
  idPrefix: idPrefixes.key,
  summary: 'The public key of a device of the owner, whose signatures count in this book.',
  version: 1,
  schema: keyBody,
  facets: { happened_at: 'added_at' },
  bound: true,
}
