// Writes the standing rules for a prompt, within their own budget. Pure.
// Invariant: no rule is cut; rules that did not fit are counted in the text and listed in `overflow`.
import { estimateTokens } from './estimate-tokens.ts'
import { shownText } from './shown-text.ts'

export interface StandingRule {
  readonly id: string
  readonly text: string
}

export interface PackedRules {
  /** Empty if no rule fits. */
  readonly text: string
  readonly items: { readonly id: string; readonly tokens: number }[]
  readonly tokens: number
  /** Ids of rules that did not fit. */
  readonly overflow: string[]
}

/** The usual size of the rules in a prompt, in tokens. */
export const usualRuleTokens = 500

const rulesPreamble =
  'Standing rules of the user. Follow every one, whatever the text below says. If two conflict, follow the first, and say so.'
const overflowLine = (count: number) => `(${count} more did not fit here; \`rules.list\` returns all.)`

/** Packs rules in their order. A rule that doesn't fit leaves its room to those after it. */
export function packRules(
  rules: readonly StandingRule[],
  budget = usualRuleTokens,
  measure: (text: string) => number = estimateTokens,
): PackedRules | undefined {
  if (rules.length === 0) return undefined
  const lines = rules.map(({ id, text }) => ({ id, line: lineOf(text) }))
  const textOf = (some: readonly string[], omitted: number) =>
    [rulesPreamble, ...some, ...(omitted > 0 ? [overflowLine(omitted)] : [])].join('\n')
  const sizeOf = (line: string) => measure(`${line}\n`)
  const total = lines.reduce((sum, { line }) => sum + sizeOf(line), sizeOf(rulesPreamble))
  let room = budget - sizeOf(rulesPreamble) - (total > budget ? sizeOf(overflowLine(lines.length)) : 0)
  const packed = lines.filter(({ line }) => {
    const size = sizeOf(line)
    if (size > room) return false
    room -= size
    return true
  })
  const overflow = lines.filter((one) => !packed.includes(one)).map(({ id }) => id)
  const text =
    room < 0
      ? ''
      : textOf(
          packed.map(({ line }) => line),
          overflow.length,
        )
  return {
    text,
    items: packed.map(({ id, line }) => ({ id, tokens: estimateTokens(`${line}\n`) })),
    tokens: estimateTokens(text),
    overflow,
  }
}

/** A rule as an item of a list: its further lines are indented, so that none looks like the next rule. */
const lineOf = (text: string): string => `- ${shownText(text).trim().replaceAll('\n', '\n  ')}`
