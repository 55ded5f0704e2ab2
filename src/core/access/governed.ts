// What policies let somebody read of the kinds that they decide about (`byPolicy` of a kind: memories).
// Invariants: without a rule that names a record it is not readable, a denied name wins over every rule, and of rules that
// name it those that come first say how sensitive it may be.
import { sensitivities, type Sensitivity } from '../sealed.ts'
import { matchesScope, type ScopePattern } from './scope.ts'

/** Records that one of `allow` names may be read up to a sensitivity. */
export interface GovernedRule {
  /** The lesser comes first. Of those at one place that let anything be read the one that lets more be read counts. */
  readonly place: number
  readonly allow: readonly ScopePattern[]
  readonly upTo: Sensitivity
  /** It lets nothing be read, and what comes after it no more than this: that of a policy whose condition does not hold. */
  readonly isLimit?: boolean
}

export interface Governed {
  readonly rules: readonly GovernedRule[]
  readonly deny: readonly ScopePattern[]
  /** Says all of this, the same for the same: whatever was counted for it is kept by it. */
  readonly text: string
}

/** Puts rules and denials together. */
export function governedBy(rules: readonly GovernedRule[], deny: readonly ScopePattern[]): Governed {
  const said = rules.flatMap(saidOf)
  const denied = deny.map(({ text }) => text)
  return { rules, deny, text: JSON.stringify([distinct(said), distinct(denied)]) }
}

/** What rules say, kept for as long as they are: many decisions are made of the same ones. */
const saidTexts = new WeakMap<GovernedRule, readonly string[]>()

function saidOf(rule: GovernedRule): readonly string[] {
  const { place, upTo, allow, isLimit = false } = rule
  const known = saidTexts.get(rule)
  if (known) return known
  const said = allow.map(({ text }) => JSON.stringify([place, upTo, text, isLimit]))
  saidTexts.set(rule, said)
  return said
}

const distinct = (texts: readonly string[]) => [...new Set(texts)].toSorted()

/** Nothing of such a kind may be read. */
export const nothingGoverned: Governed = governedBy([], [])

/** How sensitive a record of these names may be at most; undefined when it is not to be read at all. */
export function sensitivityFor(
  { rules, deny }: Pick<Governed, 'rules' | 'deny'>,
  names: readonly string[],
): Sensitivity | undefined {
  const isNamed = (patterns: readonly ScopePattern[]) =>
    patterns.some((pattern) => names.some((name) => matchesScope(pattern, name)))
  if (isNamed(deny)) return undefined
  const naming = rules.filter(({ allow }) => isNamed(allow))
  const opening = naming.filter(({ isLimit }) => !isLimit)
  if (opening.length === 0) return undefined
  const first = Math.min(...opening.map(({ place }) => place))
  const here = opening.filter(({ place }) => place === first)
  // Each limit that comes before counts by itself: beside one that gives more, the lesser holds all the same.
  const before = naming.filter(({ place, isLimit }) => isLimit && place < first)
  const ranks = (some: readonly GovernedRule[]) => some.map(({ upTo }) => rankOf(upTo))
  return sensitivities[Math.min(Math.max(...ranks(here)), ...ranks(before))]
}

/** True when a record of these names and of this sensitivity may be read. */
export function isGoverned(
  governed: Pick<Governed, 'rules' | 'deny'>,
  names: readonly string[],
  sensitivity: Sensitivity,
): boolean {
  const most = sensitivityFor(governed, names)
  return most !== undefined && rankOf(sensitivity) <= rankOf(most)
}

/** From 0, public, to 3, restricted. */
export function rankOf(sensitivity: Sensitivity): number {
  return sensitivities.indexOf(sensitivity)
}

/** The category that a scope of `a2p` or `ext` names word for word: `health` of `a2p:health.**` and of `a2p:semantic.health`. */
export function namesCategory({ parts }: ScopePattern, types: ReadonlySet<string>): boolean {
  const words = parts.filter((_, i) => i % 2 === 0 && i > 0)
  // A namespace comes before its categories, and a type may.
  const isLed = parts[0] === 'ext' || (words[0] !== undefined && types.has(words[0]))
  const named = isLed ? words.slice(1) : words
  return named[0] !== undefined && named[0] !== '*'
}
