// The promises of memories and of what agents propose.
import type { BookCase } from '../book-case.ts'
import { consentInputCases } from './bad-input.ts'
import { categoryCases } from './category.ts'
import { goneProposalCases } from './gone-proposal.ts'
import { lifeCases } from './life.ts'
import { memoryCases } from './memory.ts'
import { ownerWordCases } from './owner-word.ts'
import { namedAgentCases } from './named-agent.ts'
import { policyCases } from './policy.ts'
import { proposalCases } from './proposal.ts'
import { proposerCases } from './proposer.ts'
import { reviewBackCases, wordForWordCases } from './review-back.ts'
import { ruleCases } from './rule.ts'
import { sameFateCases } from './same-fate.ts'
import { standingRuleCases } from './standing-rule.ts'
import { keylessConsentCases, sealedConsentCases } from './sealed.ts'

export function consentCases(cases: BookCase, keepsKeys: boolean): void {
  memoryCases(cases)
  proposalCases(cases)
  if (keepsKeys) sealedConsentCases(cases)
  else keylessConsentCases(cases)
}

/** Rules that no host changes. */
export function consentRuleCases(cases: BookCase, keepsKeys: boolean): void {
  ownerWordCases(cases)
  proposerCases(cases)
  namedAgentCases(cases, keepsKeys)
  consentInputCases(cases)
  ruleCases(cases)
  standingRuleCases(cases)
  lifeCases(cases)
  policyCases(cases)
  sameFateCases(cases, keepsKeys)
  goneProposalCases(cases)
  reviewBackCases(cases)
  wordForWordCases(cases)
  categoryCases(cases, { keepsKeys })
}
