// The chapter of consent: agents propose memories and rules, and a person decides; policies and receipts define who may read
// them. "The protocol" in this folder is a2p, whose forms and words the verbs `a2p:` accept.
import { defineChapter } from '../../core/capability/chapter.ts'
import { consentBase } from './consent-base.ts'
import { lifeCapabilities } from './life/life-capability.ts'
import { maintainCapabilities } from './life/maintain-capability.ts'
import { memoryCapabilities } from './memory/memory-capability.ts'
import { memoryQueryCapabilities } from './memory/memory-query-capability.ts'
import { policyCapabilities } from './policy/policy-capability.ts'
import { receiptCapabilities } from './policy/receipt-capability.ts'
import { requestCapabilities } from './policy/request-capability.ts'
import { proposalCapabilities } from './proposal/proposal-capability.ts'
import { rebuildCapabilities } from './proposal/rebuild-capability.ts'
import { reviewCapabilities } from './proposal/review-capability.ts'
import { ruleCapabilities } from './rule/rule-capability.ts'

export const consent = defineChapter({
  ...consentBase,
  capabilities: [
    ...memoryCapabilities,
    ...memoryQueryCapabilities,
    ...proposalCapabilities,
    ...reviewCapabilities,
    ...ruleCapabilities,
    ...rebuildCapabilities,
    ...lifeCapabilities,
    ...maintainCapabilities,
    ...policyCapabilities,
    ...requestCapabilities,
    ...receiptCapabilities,
  ],
})
