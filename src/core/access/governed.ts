// Policies: the records of policy kinds (`byPolicy`: memories) that an agent may read.
// Invariants: a record that no rule names is not readable, a denied name wins over every rule, and the first rules that
// name a record limit its sensitivity.
import { sensitivities, type Sensitivity } from '../sealed.ts'
import { type ScopePattern, matchesScope } from './scope.ts'

/** Allows reading records with one of the `allow` names, up to a sensitivity. */
export interface GovernedRule {
  /** Lower places come first. At one place, the most permissive allowing rule counts. */
  readonly place: number
  readonly allow: readonly ScopePattern[]
  readonly upTo: Sensitivity
  /**
   * True: the rule allows nothing, and limits all later rules to `upTo`. It stands for a policy whose condition is not
   * met.
   */
  readonly isLimit?: boolean
}

export interface Governed {
  readonly rules: readonly GovernedRule[]
  readonly deny: readonly ScopePattern[]
  /** Canonical text of the rules; equal decisions have equal texts, so it serves as a cache key. */
  readonly text: string
}

/** Combines rules and denials. */
export function governedBy(rules: readonly GovernedRule[], deny: readonly ScopePattern[]): Governed {
  const allowed = rules.flatMap(textOfRule)
  const denied = deny.map(({ text }) => text)
  return { rules, deny, text: JSON.stringify([distinct(allowed), distinct(denied)]) }
}

/** Cached texts of rules: many decisions share the same ones. */
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

/** No record of a policy kind may be read. */
export const nothingGoverned: Governed = governedBy([], [])

/** Returns the highest readable sensitivity of a record with these names; undefined if it may not be read at all. */
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
  // Each earlier limit counts by itself, even beside a more permissive one.
  const before = naming.filter(({ place, isLimit }) => isLimit && place < first)
  const ranks = (some: readonly GovernedRule[]) => some.map(({ upTo }) => rankOf(upTo))
  return sensitivities[Math.min(Math.max(...ranks(here)), ...ranks(before))]
}

/** True if a record with these names and this sensitivity may be read. */
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
 * True if an `a2p` or `ext` scope names a category literally: `health` in `a2p:health.**` and in `a2p:semantic.health`.
 */
export function namesCategory({ parts }: ScopePattern, types: ReadonlySet<string>): boolean {
  const words = parts.filter((_, i) => i % 2 === 0 && i > 0)
  // A namespace precedes its categories; a type may precede them.
  const isLed = parts[0] === 'ext' || (words[0] !== undefined && types.has(words[0]))
  const named = isLed ? words.slice(1) : words
  return named[0] !== undefined && named[0] !== '*'
}

/** Levels of permission, least first; each includes all earlier ones. */
export const permissionLevels = [
  'none',
  'read_public',
  'read_scoped',
  'read_full',
  'propose',
  'write',
] as const
export type PermissionLevel = (typeof permissionLevels)[number]

/** Way of a call: not over a network, or over HTTPS or HTTP. */
export type CallWay = 'here' | 'https' | 'http'

export type UnmetCondition = 'unknown' | 'requireHttps' | 'timeOfDay' | 'rateLimit'

/** Decision of a book's policies about a call of an agent. */
export interface PolicyDecision {
  readonly governed: Governed
  /** Ids of the policies that match the agent, and of those that allow something now; by priority. */
  readonly matched: readonly string[]
  readonly allowing: readonly string[]
  /** Levels of the allowing policies. */
  readonly permissions: readonly PermissionLevel[]
  /** Names of memories that the agent may propose, although no token or key allows it. */
  readonly proposes: readonly ScopePattern[]
  /** Conditions that keep matching policies from allowing anything. */
  readonly unmet: readonly { readonly id: string; readonly condition: UnmetCondition }[]
  /** How long the agent may store what it reads, by each policy that limits it. */
  readonly retention: readonly string[]
}

/**
 * Kinds of rules: a change of one may let a guest read more, or less. A house test compares these three lists with the
 * kinds' declarations.
 */
export const ruleKinds: ReadonlySet<string> = new Set(['policy', 'receipt', 'access_request'])

/** Kinds of credentials: a change of one may end a token. */
export const credentialKinds: ReadonlySet<string> = new Set([
  'token',
  'key',
  'access_key',
  'agent_key',
  'public_key',
])

/** Kinds whose records, or whose sources, are under policies. */
export const ruledKinds: readonly string[] = [
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
