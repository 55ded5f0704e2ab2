// The chapter of what an agent proposes and a person decides: memories, proposals, policies and receipts.
import { defineChapter } from '../../core/capability/chapter.ts'
import { lifeCapabilities } from './life/life-capability.ts'
import { maintainCapabilities } from './life/maintain-capability.ts'
import { memoryCapabilities } from './memory/memory-capability.ts'
import { memoryKind } from './memory/memory-kind.ts'
import { memoryQueryCapabilities } from './memory/memory-query-capability.ts'
import { createConsentFeed } from './policy/consent-feed.ts'
import { policyKinds, policyVerbs } from './policy/policy.ts'
import { proposalCapabilities } from './proposal/proposal-capability.ts'
import { createProposalFeed } from './proposal/proposal-feed.ts'
import { proposalKind } from './proposal/proposal-kind.ts'
import { reviewCapabilities } from './proposal/review-capability.ts'
import { tellAnewCapabilities } from './proposal/tell-anew-capability.ts'

const capabilities = [
  ...memoryCapabilities,
  ...memoryQueryCapabilities,
  ...proposalCapabilities,
  ...reviewCapabilities,
  ...tellAnewCapabilities,
  ...lifeCapabilities,
  ...maintainCapabilities,
  ...policyVerbs,
] as const

export const consent = defineChapter({
  name: 'consent',
  capabilities,
  kinds: [memoryKind, proposalKind, ...policyKinds],
  recurring: [{ id: 'consent.maintain', capability: 'a2p:maintain', input: {}, every: '1d', kind: 'memory' }],
  services: (parts) => [createProposalFeed(parts), createConsentFeed(parts)],
})
