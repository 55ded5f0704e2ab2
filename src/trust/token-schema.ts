// The shape of a control token: who may do what, where, until when, and on whose word.
import { z } from 'zod'
import { fromDidKey } from '../shape/did-key.ts'
import { isRecordId } from '../core/ids.ts'
import { patternLimit } from '../core/access/reach.ts'
import { parseScope } from '../core/access/scope.ts'
import { canonicalTime } from '../core/time.ts'

/** A token may have at most this many ancestors. */
export const depthLimit = 8

/** A time that was signed: another spelling of it would be another text. */
const signedInstant = z
  .string()
  .refine((value) => canonicalTime(value) === value, 'is not a canonical UTC time')
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => value.isWellFormed(), 'is not well-formed Unicode')

export const tokenId = z.string().refine(isRecordId, 'is not a token id (1 to 128 letters, digits, . _ : -)')
/** Segments parted by `:` and `.`; `*` is one segment, `**` at the end the rest. */
export const scopePattern = z.string().refine((value) => parseScope(value) !== undefined, 'is not a scope')
/** Further patterns that are allowed beside the scope, one less than a reach may have; and patterns that are denied. */
export const allowPatterns = z.array(scopePattern).max(patternLimit - 1)
export const denyPatterns = z.array(scopePattern).max(patternLimit)
export const tokenType = text(200)
export const permissions = z.array(text(200)).max(64)
export const principal = text(1000)

const didKey = z.string().refine((value) => fromDidKey(value) !== undefined, 'is not a did:key of Ed25519')
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256 in hexadecimal')

const claims = {
  token_id: tokenId,
  type: tokenType,
  scope: scopePattern,
  /** What it reaches beside `scope`, and what it never reaches. Who knows neither takes no token that has them. */
  allow: allowPatterns.optional(),
  deny: denyPatterns.optional(),
  permissions,
  /** The key whose signature it carries. */
  granted_by: didKey,
  /** The holder: the name of an agent, or a `did:key` that may sign tokens below this one. */
  granted_to: principal,
  granted_at: signedInstant,
  not_before: signedInstant.optional(),
  expires_at: signedInstant,
  /** Its ancestors, the nearest first. */
  delegation_chain: z.array(tokenId).max(depthLimit),
  /** SHA-256 over the parent's own and the parent itself, so that one value stands for the whole chain. */
  lineage_hash: hash,
  /** SHA-256 of the secret that its bearer text has beside it. Without one, as before there were any, nobody can present it. */
  secret_hash: hash.optional(),
  revoked: z.boolean(),
  revoked_at: signedInstant.optional(),
  revocation_reason: z.string().max(2000).optional(),
}

export const controlToken = z.strictObject({ ...claims, signature: z.string().min(1).max(200) })
export type ControlToken = z.output<typeof controlToken>

/** A token as it is shown to those who may know of it but not present it. */
export const shownToken = z.looseObject({ ...claims, signature: z.string().optional() })
export type ShownToken = z.output<typeof shownToken>
