// The kind `rule`: a standing instruction of the user, in the user's words. Every context contains the rules in force:
// core/standing-rule.ts reads them.
// Invariant: only the owner writes, changes or removes a rule. A rule from another person's book is paused until the
// owner lets it apply.
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { canonicalInstant, recordId, scopeName } from '../../shape/field.ts'
import { soundText } from '../../shape/sound-text.ts'
import { priority } from './policy/policy-kind.ts'

/** Most characters of a rule: a longer one would not fit into its budget of a prompt. */
export const maxRuleLength = 1000
export const ruleText = soundText(maxRuleLength).refine((text) => text.trim() !== '', 'is empty')

/** The rule applies only to calls of this agent, session and resource. */
export const ruleScope = z.strictObject({
  agent: scopeName.optional(),
  session: scopeName.optional(),
  resource: scopeName.optional(),
})

export const ruleBody = z.looseObject({
  text: ruleText,
  scope: ruleScope.optional(),
  /** A lower value comes first. Default: `usualPriority`. */
  priority: priority.optional(),
  valid_until: canonicalInstant.optional(),
  paused: z.literal(true).optional(),
  /** Id of the proposal that the owner approved. */
  proposal: recordId.optional(),
})
export type RuleBody = z.output<typeof ruleBody>

export const ruleKind: Kind<'rule', RuleBody> = {
  name: 'rule',
  idPrefix: 'rule::',
  summary: 'A standing instruction of the user, which every context contains.',
  version: 1,
  schema: ruleBody,
  text: ['text'],
  facets: {},
  // A foreign bundle never replaces a rule of the book: the book's text stays, and a person decides.
  policy: 'merge',
  expires: 'valid_until',
  timeless: true,
  // A guest reads a rule and never writes one, by no verb, sync or import.
  guests: 'read',
  ownerOnly: () => true,
  undecided: (body) => ({ ...body, paused: true }),
  urgent: true,
  // A prompt contains the rules in a section of their own.
  recallable: false,
  embed: false,
  links: ['proposal'],
  // A later version of Daybook may store another value there.
  endedBy: ({ proposal }) => (typeof proposal === 'string' ? proposal : undefined),
}
