// Shapes of policies, receipts and requests in the input and output of the verbs, with their state at a time.
import { z } from 'zod'
import { bodyOf } from '../../../core/record.ts'
import { accessRequestBody, policyBody, receiptBody, requestStates } from './policy-kind.ts'
import { isReceiptId, receiptState } from './receipt.ts'

export const policyId = z.string().regex(/^policy_[A-Za-z0-9]{1,64}$/, 'is not the id of a policy')
export const receiptId = z.string().refine(isReceiptId, 'is not the id of a receipt')
export const requestId = z.string().regex(/^req_[A-Za-z0-9]{1,64}$/, 'is not the id of a request')

/** `off`: the policy is not enabled. */
export const policyOutput = policyBody.extend({ id: z.string(), state: z.enum(['active', 'off', 'expired']) })
export const receiptOutput = receiptBody.extend({
  id: z.string(),
  state: z.enum(['active', 'expired', 'revoked']),
})
export const requestOutput = accessRequestBody.extend({ id: z.string(), status: z.enum(requestStates) })

/** A record of the kind, with its body on the same level. */
interface StoredHead {
  readonly id: string
}

// The functions below throw for a body that doesn't fit its shape: the caller checks that first. `now`:
// canonical time.
export function toPolicy(record: StoredHead, now: string): z.output<typeof policyOutput> {
  const body = policyBody.parse(bodyOf(record))
  const isExpired = body.expiresAt !== undefined && body.expiresAt <= now
  return { ...body, id: record.id, state: body.enabled ? (isExpired ? 'expired' : 'active') : 'off' }
}

export function toReceipt(record: StoredHead, now: string): z.output<typeof receiptOutput> {
  const body = receiptBody.parse(bodyOf(record))
  return { ...body, id: record.id, state: receiptState(body, now) }
}

export function toRequest(record: StoredHead, now: string): z.output<typeof requestOutput> {
  const body = accessRequestBody.parse(bodyOf(record))
  const isExpired = body.status === 'pending' && body.expiresAt <= now
  return { ...body, id: record.id, status: isExpired ? 'expired' : body.status }
}
