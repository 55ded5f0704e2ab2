// Measures the finder of standing rules on both halves of the judged sentences.
import { findRuleCandidates } from '../../src/memory/consent/rule/find-candidate.ts'
import { heldOut, type JudgedSentence, tuning } from './rule-sentence.ts'
import type { Figures } from './set-measure.ts'

/** `precision`: the share of candidates that are rules. `recall`: the share of rules that are candidates. */
function measureRules(sentences: readonly JudgedSentence[]): Figures {
  const found = sentences.filter(({ text }) => findRuleCandidates(text).length > 0)
  const hits = found.filter(({ isRule }) => isRule).length
  return {
    questions: sentences.length,
    precision: hits / found.length,
    recall: hits / sentences.filter(({ isRule }) => isRule).length,
  }
}

export const ruleFigures = (): Readonly<Record<string, Figures>> => ({
  'rules, tuning': measureRules(tuning),
  'rules, held out': measureRules(heldOut),
})
