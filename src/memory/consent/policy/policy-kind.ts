// The kinds that say what was consented to: policies, receipts and requests for access. They are authority: the owner's alone,
// open to every copy of the book, and sent ahead of all else, so that a mirror holds guests to what was said on a device.
import { z } from 'zod'
import { permissionLevels } from '../../../core/access/policy-decision.ts'
import type { Kind } from '../../../core/kind.ts'
import { canonicalTime } from '../../../core/time.ts'
import { scopeName } from '../../../shape/scope-name.ts'
import { agentPattern } from './agent-pattern.ts'
import { memoryScopes } from './memory-scope.ts'

export const text = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((value) => value.isWellFormed(), 'is not well-formed Unicode')

const at = z.string().refine((value) => canonicalTime(value) === value, 'is not a canonical UTC time')
export const levels = z.array(z.enum(permissionLevels)).min(1).max(permissionLevels.length)
export const priority = z.number().int().min(0).max(1_000_000)

export const policyBody = z.looseObject({
  /** What the policy is called, and what it is for, for people. */
  name: text(100).optional(),
  description: text(500).optional(),
  /** The agents that it is for: a name or a DID with `*` and `?`. */
  for_agents: agentPattern,
  allow: memoryScopes,
  deny: memoryScopes,
  permissions: levels,
  /** Of another Daybook there may be such as are not known here: then it allows nothing. */
  conditions: z.record(z.string(), z.unknown()).optional(),
  /** The lower comes first. */
  priority,
  enabled: z.boolean(),
  set_at: at,
  expires_at: at.optional(),
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
/** Characters that a purpose may be described in. */
export const purposeLength = 500

export const purposeBody = z.strictObject({
  type: z.enum(purposeTypes).optional(),
  description: text(purposeLength),
  legal_basis: z.enum(legalBases).optional(),
})
export type Purpose = z.output<typeof purposeBody>

export const receiptBody = z.looseObject({
  /** The agent that may read. */
  granted_to: scopeName,
  /** What was asked for and granted, and what of it was not. */
  scopes: memoryScopes,
  denied: memoryScopes,
  permissions: levels,
  purpose: purposeBody,
  /** `policy_match`: by policies, which must still allow it when it is presented. `explicit_grant`: by the owner. */
  method: z.enum(['policy_match', 'explicit_grant']),
  policies: z.array(z.string().max(128)).max(1000),
  /** The request that the owner granted. */
  request: z.string().max(128).optional(),
  /** How long the reader may keep what it read, as the policies say; nobody but the reader can see to it. */
  retention: z.array(z.string().max(20)).max(1000).optional(),
  granted_at: at,
  expires_at: at,
  revoked: z.boolean(),
  revoked_at: at.optional(),
  reason: text(500).optional(),
})
export type ReceiptBody = z.output<typeof receiptBody>

export const requestStates = ['pending', 'granted', 'denied', 'expired'] as const
export const accessRequestBody = z.looseObject({
  asked_by: scopeName,
  scopes: memoryScopes,
  purpose: purposeBody,
  asked_at: at,
  /** Undecided until then, it is over; that is told when it is read. */
  expires_at: at,
  status: z.enum(['pending', 'granted', 'denied']),
  /** True once it was denied. */
  final: z.boolean(),
  decided_at: at.optional(),
  receipt: z.string().max(128).optional(),
  reason: text(500).optional(),
})
export type AccessRequestBody = z.output<typeof accessRequestBody>

/** Never found or shown as a memory; what was taken back stays so; and it speaks for this book alone. */
const consentKind = {
  text: [],
  policy: 'remote_wins',
  urgent: true,
  guests: 'none',
  bound: true,
  recallable: () => false,
  version: 1,
} as const satisfies Partial<Kind>

export const policyKind: Kind<'policy', PolicyBody> = {
  ...consentKind,
  name: 'policy',
  plural: 'policies',
  idPrefix: 'policy_',
  summary: 'Who may read which memories of this book, and under which conditions.',
  schema: policyBody,
  facets: { happened_at: 'set_at', name: 'name', subject: 'for_agents' },
}

export const receiptKind: Kind<'receipt', ReceiptBody> = {
  ...consentKind,
  name: 'receipt',
  idPrefix: 'rcpt_',
  summary: 'What an agent was let read, for which purpose and until when.',
  schema: receiptBody,
  facets: { happened_at: 'granted_at', subject: 'granted_to' },
  // What was revoked on one device is revoked, whatever another did meanwhile.
  isFinal: ({ revoked }) => revoked,
}

export const accessRequestKind: Kind<'access_request', AccessRequestBody> = {
  ...consentKind,
  name: 'access_request',
  idPrefix: 'req_',
  summary: 'What an agent asks to read, and what was decided about it.',
  schema: accessRequestBody,
  facets: { happened_at: 'asked_at', subject: 'asked_by', action: 'status' },
  proposedBy: 'asked_by',
  // Of two decisions on two devices the one that denies stands.
  isFinal: ({ final }) => final,
}

export const consentKinds = ['policy', 'receipt', 'access_request'] as const
export type ConsentKind = (typeof consentKinds)[number]
