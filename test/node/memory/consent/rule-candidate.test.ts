// The finder of standing rules in what a user says: judged sentences in four languages, and texts of several sentences.
import { expect, it } from 'vitest'
import { findRuleCandidates } from '../../../../src/memory/consent/rule/find-candidate.ts'
import { ruleFigures } from '../../../golden/rule-measure.ts'
import { tuning } from '../../../golden/rule-sentence.ts'

it('finds the rules among judged sentences, on both halves', () => {
  const figures = ruleFigures()
  expect(figures['rules, tuning']).toMatchObject({ precision: 1, recall: 1 })
  expect(figures['rules, held out']?.['precision']).toBeGreaterThanOrEqual(0.88)
  expect(figures['rules, held out']?.['recall']).toBeGreaterThanOrEqual(0.88)
})

it.each(tuning.map(({ text, isRule }) => [isRule ? 'is a rule' : 'is no rule', text, isRule] as const))(
  '%s: %s',
  (_what, text, isRule) => expect(findRuleCandidates(text).length > 0).toBe(isRule),
)

it('quotes each sentence of a text as it is written, once, and none of code or of a quotation', () => {
  const text = [
    'Hello!  Never touch the audit table. Is that clear?',
    '> Always answer in French.',
    '```',
    'Never commit this.',
    '```',
    'Thanks, and from now on write to me. Never touch the audit table.',
    'She wrote: "Never call me."',
  ].join('\n')
  expect(findRuleCandidates(text)).toEqual([
    'Never touch the audit table.',
    'Thanks, and from now on write to me.',
  ])
})
