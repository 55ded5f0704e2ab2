// Policies decide which records of policy kinds (`byPolicy`, such as memories) an agent may read.
// Invariant: an agent reads a record only if a rule allows one of its names and no denial matches one. Of the
// rules that allow it, those with the lowest place say up to which sensitivity; each limit before them may
// lower it.
import { sensitivities, type Sensitivity } from '../sealed.ts'
import { type ScopePattern, matchesScope } from './scope.ts'

/** Allows an agent to read records with a name that matches `allow`, up to sensitivity `upTo`. */
export interface GovernedRule {
  /** Rules with a lower place come first. Among allowing rules of one place, the highest `upTo` counts. */
  readonly place: number
  readonly allow: readonly ScopePattern[]
  readonly upTo: Sensitivity
  /**
   * True: the rule allows nothing; it limits later rules for the same names to `upTo`. Stands for a policy with an
   * unmet condition.
   */
  readonly isLimit?: boolean
}

export interface Governed {
  readonly rules: readonly GovernedRule[]
  readonly deny: readonly ScopePattern[]
  /** Canonical text of the rules, for use as a cache key: equal rules have equal texts. */
  readonly text: string
}

/** Combines rules and denials. */
export function governedBy(rules: readonly GovernedRule[], deny: readonly ScopePattern[]): Governed {
  const allowed = rules.flatMap(textOfRule)
  const denied = deny.map(({ text }) => text)
  return { rules, deny, text: JSON.stringify([distinct(allowed), distinct(denied)]) }
}

/** Caches the texts of rules, because many decisions share the same rules. */
const ruleTexts = new WeakMap<GovernedRule, readonly string[]>()

function textOfRule(rule: GovernedRule): readonly string[] {
  const { place, upTo, allow, isLimit = false } = rule
  const cached = ruleTexts.get(rule)
  if (cached) return cached
  const text = allow.map(({ text }) => JSON.stringify([place, upTo, text, isLimit]))
  ruleTexts.set(rule, text)
  return text
}

const distinct = (texts: readonly string[]) => [...new Set(texts)].toSorted()

/** Allows no record of a policy kind. */
export const nothingGoverned: Governed = governedBy([], [])

/** Returns the highest readable sensitivity of a record with these names; undefined: the record is not readable. */
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
  // Each earlier limit applies by itself, even if another limit permits more.
  const before = naming.filter(({ place, isLimit }) => isLimit && place < first)
  const ranks = (some: readonly GovernedRule[]) => some.map(({ upTo }) => rankOf(upTo))
  return sensitivities[Math.min(Math.max(...ranks(here)), ...ranks(before))]
}

/** True if the policies allow reading a record with these names and this sensitivity. */
export function isGoverned(
  governed: Pick<Governed, 'rules' | 'deny'>,
  names: readonly string[],
  sensitivity: Sensitivity,
): boolean {
  const most = sensitivityFor(governed, names)
  return most !== undefined && rankOf(sensitivity) <= rankOf(most)
}

/** Rank of a sensitivity: 0 (public) to 3 (restricted). */
export function rankOf(sensitivity: Sensitivity): number {
  return sensitivities.indexOf(sensitivity)
}

/**
 * True if an `a2p` or `ext` scope names its category literally: `a2p:health.**` and `a2p:semantic.health` name
 * `health`. `types`: the types that may precede a category in `a2p`.
 */
export function namesCategory({ parts }: ScopePattern, types: ReadonlySet<string>): boolean {
  // `parts` alternates words and separators, without a final `**`.
  const words = parts.filter((_, i) => i % 2 === 0 && i > 0)
  // In `ext` a namespace precedes the category; in `a2p` a type may precede it.
  const isLed = parts[0] === 'ext' || (words[0] !== undefined && types.has(words[0]))
  const named = isLed ? words.slice(1) : words
  return named[0] !== undefined && named[0] !== '*'
}

/** Permission levels, lowest first; each includes the levels before it. */
export const permissionLevels = [
  'none',
  'read_public',
  'read_scoped',
  'read_full',
  'propose',
  'write',
] as const
export type PermissionLevel = (typeof permissionLevels)[number]

/** Transport of a call: `here` (no network), HTTPS or HTTP. */
export type CallWay = 'here' | 'https' | 'http'

export type UnmetCondition = 'unknown' | 'requireHttps' | 'timeOfDay' | 'rateLimit'

/** Decision of a book's policies about a call of an agent. */
export interface PolicyDecision {
  readonly governed: Governed
  /** Ids of the policies that match the agent, by priority. */
  readonly matched: readonly string[]
  /** Ids of those that allow something now, by priority. */
  readonly allowing: readonly string[]
  /** Levels of the allowing policies. */
  readonly permissions: readonly PermissionLevel[]
  /** Names of memories that the agent may propose even without a token or key that allows proposals. */
  readonly proposes: readonly ScopePattern[]
  /** Matching policies that allow nothing now, each with its unmet condition. */
  readonly unmet: readonly { readonly id: string; readonly condition: UnmetCondition }[]
  /** Maximum time that the agent may store the records it reads: one text for each policy that limits the time. */
  readonly retention: readonly string[]
}

/**
 * Kinds of rules. A change of such a record may let a guest read more or less. A house test compares `ruleKinds`,
 * `credentialKinds` and `kindsUnderPolicy` with the declarations of the kinds.
 */
export const ruleKinds: ReadonlySet<string> = new Set(['policy', 'receipt', 'access_request'])

/** Kinds of credentials. A change of such a record may end a token. */
export const credentialKinds: ReadonlySet<string> = new Set([
  'token',
  'key',
  'access_key',
  'agent_key',
  'public_key',
])

/**
 * Kinds that a guest reads only if a policy allows it, because their records, or the sources of these, need
 * one.
 */
export const kindsUnderPolicy: readonly string[] = [
  'memory',
  'proposal',
  'answer',
  'digest',
  'pattern',
  'snapshot',
  'backup_part',
  'pool_proposal',
  'pool_ballot',
  'pool_decision',
  'pool_fact',
]
