// Policies, receipts and requests for access: what they are, their verbs, and who hears of them.
import { policyCapabilities } from './policy-capability.ts'
import { accessRequestKind, policyKind, receiptKind } from './policy-kind.ts'
import { receiptCapabilities } from './receipt-capability.ts'
import { requestCapabilities } from './request-capability.ts'

export const policyVerbs = [...policyCapabilities, ...requestCapabilities, ...receiptCapabilities] as const
export const policyKinds = [policyKind, receiptKind, accessRequestKind] as const
