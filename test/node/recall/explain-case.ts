// Readers of explanations, shared by the tests of `recall.explain`.
import { expect } from 'vitest'
import type { Explanation, Reason, ReasonCode } from '../../../src/recall/explain/explanation.ts'

export type Missed = Extract<Explanation, { outcome: 'missed' }>

export async function missed(answer: Promise<unknown>): Promise<Missed> {
  const explanation = (await answer) as Explanation
  expect(explanation.outcome).toBe('missed')
  return explanation as Missed
}

export function reasonOf<Code extends ReasonCode>(
  { reasons }: Missed,
  code: Code,
): Extract<Reason, { code: Code }> {
  expect(reasons.map((one) => one.code)).toContain(code)
  return reasons.find((one) => one.code === code) as Extract<Reason, { code: Code }>
}

/** The codes of the reasons. */
export const codes = ({ reasons }: Missed) => reasons.map(({ code }) => code)
/** The codes of the suggestions, with the rank that each leads to. */
export const helps = ({ suggestions }: Missed) => suggestions.map(({ code, rank }) => [code, rank])
