// The kinds of consent: policies, receipts and access requests. No token reaches these records: guests use the verbs
// of the chapter. Every copy of the book can read them, and they sync before everything else, so that a mirror
// enforces the decisions of a device.
import { z } from 'zod'
import { permissionLevels } from '../../../core/access/governed.ts'
import type { Kind } from '../../../core/kind.ts'
import { canonicalInstant, scopeName } from '../../../shape/field.ts'
import { agentPattern } from './agent-pattern.ts'
import { memoryScopes } from './memory-scope.ts'
import { someText } from '../../../shape/sound-text.ts'

const at = canonicalInstant
export const levelList = z.array(z.enum(permissionLevels)).min(1).max(permissionLevels.length)
export const priority = z.number().int().min(0).max(1_000_000)

export const policyBody = z.looseObject({
  /** Name and description of the policy, for people. */
  name: someText(100).optional(),
  description: someText(500).optional(),
  /** Agents of the policy: a name or a DID with `*` and `?`. */
  forAgents: agentPattern,
  /** Scopes of memories that may be read, and scopes that may never be read. */
  allow: memoryScopes,
  deny: memoryScopes,
  permissions: levelList,
  /** Another version may have stored unknown conditions; the policy then allows nothing. */
  conditions: z.record(z.string(), z.unknown()).optional(),
  /** A lower value takes precedence. */
  priority,
  /** False: the policy has no effect; its denials don't apply either. */
  enabled: z.boolean(),
  setAt: at,
  expiresAt: at.optional(),
})
export type PolicyBody = z.output<typeof policyBody>

export const purposeTypes = [
  'personalization',
  'context_enrichment',
  'recommendation',
  'analysis',
  'communication',
  'service_delivery',
  'research',
  'legal_compliance',
  'other',
] as const
export const legalBases = [
  'consent',
  'contract',
  'legal_obligation',
  'vital_interests',
  'public_task',
  'legitimate_interests',
] as const
/** Most characters of the description of a purpose. */
export const maxPurposeLength = 500

export const purposeBody = z.strictObject({
  type: z.enum(purposeTypes).optional(),
  description: someText(maxPurposeLength),
  legalBasis: z.enum(legalBases).optional(),
})
export type Purpose = z.output<typeof purposeBody>

export const receiptBody = z.looseObject({
  /** Name of the agent that may read. */
  grantedTo: scopeName,
  /** Requested scopes that were granted, and requested scopes that were not. */
  scopes: memoryScopes,
  denied: memoryScopes,
  permissions: levelList,
  purpose: purposeBody,
  /**
   * `policy_match`: granted by policies, which must still allow the reading when the receipt is presented.
   * `explicit_grant`: granted by the owner.
   */
  method: z.enum(['policy_match', 'explicit_grant']),
  /** Ids of the policies that granted it; empty if the owner did. */
  policies: z.array(z.string().max(128)).max(1000),
  /** Id of the request that the owner granted. */
  request: z.string().max(128).optional(),
  /** Times for which the reader may keep the data, by the policies; the book can't enforce them. */
  retention: z.array(z.string().max(20)).max(1000).optional(),
  grantedAt: at,
  expiresAt: at,
  revoked: z.boolean(),
  revokedAt: at.optional(),
  /** The owner's reason to grant or revoke it. */
  reason: someText(500).optional(),
})
export type ReceiptBody = z.output<typeof receiptBody>

export const requestStates = ['pending', 'granted', 'denied', 'expired'] as const
export const accessRequestBody = z.looseObject({
  requestedBy: scopeName,
  scopes: memoryScopes,
  purpose: purposeBody,
  requestedAt: at,
  /** Time at which an undecided request expires. The status `expired` is computed on read. */
  expiresAt: at,
  status: z.enum(['pending', 'granted', 'denied']),
  /** True after a denial: no other decision replaces it. */
  final: z.boolean(),
  decidedAt: at.optional(),
  /** Id of the receipt of a granted request. */
  receipt: z.string().max(128).optional(),
  reason: someText(500).optional(),
})
export type AccessRequestBody = z.output<typeof accessRequestBody>

/**
 * Shared fields: recall never returns these kinds, they sync first, guests have no direct access, and they apply to
 * this book only.
 */
const consentKind = {
  text: [],
  policy: 'remote_wins',
  urgent: true,
  guests: 'none',
  bound: true,
  recallable: false,
  version: 1,
} as const satisfies Partial<Kind>

export const policyKind: Kind<'policy', PolicyBody> = {
  ...consentKind,
  name: 'policy',
  plural: 'policies',
  idPrefix: 'policy_',
  summary: 'The agents that may read memories of this book, which memories, and under which conditions.',
  schema: policyBody,
  facets: { happened_at: 'setAt', name: 'name', subject: 'forAgents' },
}

export const receiptKind: Kind<'receipt', ReceiptBody> = {
  ...consentKind,
  name: 'receipt',
  idPrefix: 'rcpt_',
  summary: 'A permission for an agent to read memories, for a purpose and until a time.',
  schema: receiptBody,
  facets: { happened_at: 'grantedAt', subject: 'grantedTo' },
  // A revocation on one device is final, whatever another device writes meanwhile.
  isFinal: ({ revoked }) => revoked,
}

export const accessRequestKind: Kind<'access_request', AccessRequestBody> = {
  ...consentKind,
  name: 'access_request',
  idPrefix: 'req_',
  summary: 'A request of an agent to read memories, and the decision about it.',
  schema: accessRequestBody,
  facets: { happened_at: 'requestedAt', subject: 'requestedBy', action: 'status' },
  proposedBy: 'requestedBy',
  // Of two decisions on two devices, the denial wins.
  isFinal: ({ final }) => final,
}

export const consentKinds = ['policy', 'receipt', 'access_request'] as const
export type ConsentKind = (typeof consentKinds)[number]
