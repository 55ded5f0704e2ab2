// Decides what an agent may read by the policies of a book. Pure.
// Invariant: without a matching policy, nothing is allowed. A denial by any matching policy that has not expired
// applies, whatever its priority and conditions. Of two policies that allow the same, the one with the lower priority
// value sets the level. The order of the policies in the input doesn't matter.
import {
  type GovernedRule,
  type PermissionLevel,
  type PolicyDecision,
  type UnmetCondition,
  governedBy,
  nothingGoverned,
} from '../../../core/access/governed.ts'
import type { ScopePattern } from '../../../core/access/scope.ts'
import { isExactAgent, matchesAgent } from './agent-pattern.ts'
import {
  type CallCircumstances,
  compileConditions,
  type Conditions,
  type CachedCall,
  cacheCall,
  variesByCall,
  rateLimitOf,
  parseConditions,
  type FindUnmet,
} from './policy-condition.ts'
import { highestLevel, patternsOf, readingRules } from './memory-scope.ts'

/** A policy as decisions use it. */
export interface Policy {
  readonly id: string
  readonly forAgents: string
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly permissions: readonly PermissionLevel[]
  readonly conditions?: Readonly<Record<string, unknown>> | undefined
  readonly priority: number
  readonly enabled: boolean
  /** Canonical UTC text. */
  readonly expiresAt?: string | undefined
}

/** Policies compiled for many decisions. */
export interface CompiledPolicies {
  /** True if a policy has a rate limit. */
  readonly isCounting: boolean
  /** Decides for an agent with all its names: a policy applies if its pattern matches one of them. */
  decide(agent: string | readonly string[], circumstances: CallCircumstances): PolicyDecision
  /** Rate limits of the policies that match the agent, with expired policies. */
  limitsOf(agent: readonly string[]): readonly RateLimit[]
}

/** At most `requests` calls in the last `windowMs` milliseconds. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

interface CompiledPolicy {
  readonly policy: Policy
  /** Patterns of its `allow`. */
  readonly allowed: readonly ScopePattern[]
  /** Its rules for reading; empty without a reading level. */
  readonly rules: readonly GovernedRule[]
  /** The rules while a condition of the policy is unmet: they limit other policies and allow nothing. */
  readonly limitingRules: readonly GovernedRule[]
  readonly deny: readonly ScopePattern[]
  /** Undefined: unknown or unreadable, so never met. A policy without conditions has an empty object. */
  readonly conditions: Conditions | undefined
  /** One function for all policies with the same conditions. */
  readonly findUnmet: FindUnmet
  /** End of the policy in milliseconds since 1970 UTC; infinity without an end. */
  readonly untilMs: number
}

/** Policies with the same agent pattern. */
interface PatternGroup {
  /** Identifies the group in the keys of cached sets. */
  readonly index: number
  readonly pattern: string
  readonly policies: CompiledPolicy[]
}

/** Most agents whose policies are cached, and most sets of policies whose decisions are cached. */
const maxCachedAgents = 4096
const maxCachedPolicySets = 256
/** Most cached decisions of one set. They differ by transport, expired policies and unmet conditions. */
const maxCachedDecisions = 64

/** The decision without a matching policy. The fields: PolicyDecision in core/access/governed.ts. */
const noDecision: PolicyDecision = {
  governed: nothingGoverned,
  matched: [],
  allowing: [],
  permissions: [],
  proposes: [],
  unmet: [],
  retention: [],
}

/** Compiles the enabled policies. Compile again after every change of a policy. */
export function compilePolicies(policies: readonly Policy[]): CompiledPolicies {
  const sortedPolicies = policies.filter(({ enabled }) => enabled).toSorted(comparePolicies)
  const groups = groupByPattern(sortedPolicies)
  const wildcardGroups = [...groups.values()].filter(({ pattern }) => !isExactAgent(pattern))
  const byAgent = new Map<string, AgentPolicies>()
  const byPolicySet = new Map<string, AgentPolicies>()
  const policiesOf = (names: readonly string[]): AgentPolicies => {
    // Neither patterns nor matching agents contain control characters, so U+0000 separates the names.
    const agent = names.join('\u0000')
    const cached = byAgent.get(agent)
    if (cached) return cached
    const exactGroups = names.filter(isExactAgent).flatMap((name) => groups.get(name) ?? [])
    const matched = wildcardGroups.filter(({ pattern }) => names.some((name) => matchesAgent(pattern, name)))
    matched.push(...exactGroups)
    // Agents with the same policies share one `AgentPolicies` and its cached decisions.
    const setKey = matched.map(({ index }) => index).join()
    const agentPolicies =
      byPolicySet.get(setKey) ?? new AgentPolicies(matched.flatMap((group) => group.policies))
    setBounded(byPolicySet, setKey, agentPolicies, maxCachedPolicySets)
    setBounded(byAgent, agent, agentPolicies, maxCachedAgents)
    return agentPolicies
  }
  return {
    isCounting: [...groups.values()].some((group) =>
      group.policies.some(({ conditions }) => conditions?.rateLimit !== undefined),
    ),
    limitsOf: (agent) => policiesOf(agent).limits,
    decide: (agent, circumstances) =>
      policiesOf(typeof agent === 'string' ? [agent] : agent).decide(cacheCall(circumstances)),
  }
}

/** Sets an entry; removes the oldest entry if the map is full. */
function setBounded<Value>(map: Map<string, Value>, name: string, value: Value, limit: number): void {
  if (map.size >= limit && !map.has(name)) map.delete(map.keys().next().value ?? '')
  map.set(name, value)
}

/** Groups policies by their agent pattern. */
function groupByPattern(inOrder: readonly Policy[]): Map<string, PatternGroup> {
  const groups = new Map<string, PatternGroup>()
  const checkByText = new Map<string, Pick<CompiledPolicy, 'conditions' | 'findUnmet'>>()
  for (const policy of inOrder) {
    const text = JSON.stringify(policy.conditions ?? {})
    const conditions = parseConditions(policy.conditions)
    const check = checkByText.get(text) ?? { conditions, findUnmet: compileConditions(conditions) }
    checkByText.set(text, check)
    const pattern = policy.forAgents
    const group = groups.get(pattern) ?? { index: groups.size, pattern, policies: [] }
    group.policies.push({ ...compilePolicy(policy), ...check })
    groups.set(pattern, group)
  }
  return groups
}

/** Sorts by priority, then by id, so that the order of equal priorities is stable. */
function comparePolicies(a: Policy, b: Policy): number {
  return a.priority - b.priority || (a.id < b.id ? -1 : Number(a.id > b.id))
}

function compilePolicy(policy: Policy): Omit<CompiledPolicy, 'conditions' | 'findUnmet'> {
  const { allow, deny, permissions, priority, expiresAt } = policy
  const deniesAll = highestLevel(permissions) === 'none'
  const allowed = patternsOf(allow)
  const rules = deniesAll ? [] : readingRules(permissions, allowed, priority)
  return {
    policy,
    allowed,
    rules,
    limitingRules: rules.map((rule) => ({ ...rule, isLimit: true })),
    // `none` denies the agent everything in the policy's scopes, or everything if the policy has no scopes.
    deny: [...patternsOf(deny), ...(deniesAll ? (allow.length > 0 ? allowed : everything) : [])],
    untilMs: expiresAt === undefined ? Infinity : Date.parse(expiresAt),
  }
}

/** True if the levels of a policy let the agent propose. A denial by any policy still applies. */
const mayPropose = (levels: readonly PermissionLevel[]) =>
  levels.some((level) => level === 'propose' || level === 'write')

const everything = patternsOf(['a2p:*', 'ext:*'])

/** The policies that match one agent, with cached decisions. */
class AgentPolicies {
  readonly #policies: readonly CompiledPolicy[]
  /** Conditions whose result may change from call to call, each once. */
  readonly #varyingConditions: readonly FindUnmet[]
  /** Times at which policies expire, in milliseconds since 1970 UTC, earliest first. */
  readonly #expiries: readonly number[]
  readonly #decisions = new Map<string, PolicyDecision>()
  readonly limits: readonly RateLimit[]

  constructor(policies: readonly CompiledPolicy[]) {
    this.#policies = policies.toSorted((a, b) => comparePolicies(a.policy, b.policy))
    const changing = policies.filter(({ conditions }) => variesByCall(conditions))
    this.#varyingConditions = [...new Set(changing.map(({ findUnmet }) => findUnmet))]
    this.limits = policies.flatMap(({ conditions }) => (conditions ? (rateLimitOf(conditions) ?? []) : []))
    const ends = policies.map(({ untilMs }) => untilMs).filter(Number.isFinite)
    this.#expiries = [...new Set(ends)].toSorted((a, b) => a - b)
  }

  decide(call: CachedCall): PolicyDecision {
    if (this.#policies.length === 0) return noDecision
    let expiredCount = 0
    while (
      expiredCount < this.#expiries.length &&
      call.latestMs >= (this.#expiries[expiredCount] ?? Infinity)
    )
      expiredCount += 1
    // A decision depends only on the transport, expired policies and unmet changing conditions.
    let key = `${call.way} ${expiredCount}`
    for (const unmet of this.#varyingConditions) key += ` ${unmet(call) ?? ''}`
    const cached = this.#decisions.get(key)
    if (cached) return cached
    const decision = makeDecision(this.#policies, call)
    setBounded(this.#decisions, key, decision, maxCachedDecisions)
    return decision
  }
}

/** State of a policy for this call: expired (`over`), in force (`met`), or its first unmet condition. */
function policyState(
  { findUnmet, untilMs }: CompiledPolicy,
  call: CachedCall,
): UnmetCondition | 'over' | 'met' {
  return call.latestMs >= untilMs ? 'over' : (findUnmet(call) ?? 'met')
}

/** The decision of `policies`, which all match the agent, about this call. */
function makeDecision(policies: readonly CompiledPolicy[], call: CachedCall): PolicyDecision {
  const inForce = policies
    .map((policy) => ({ one: policy, state: policyState(policy, call) }))
    .filter(({ state }) => state !== 'over')
  const allowing = inForce.filter(({ state }) => state === 'met').map(({ one }) => one)
  return {
    governed: governedBy(
      // While a condition of a policy is unmet, its rules limit those of policies with a greater priority value.
      inForce.flatMap(({ one, state }) => (state === 'met' ? one.rules : one.limitingRules)),
      inForce.flatMap(({ one }) => one.deny),
    ),
    matched: inForce.map(({ one }) => one.policy.id),
    allowing: allowing.filter(({ rules }) => rules.length > 0).map(({ policy }) => policy.id),
    permissions: [...new Set(allowing.flatMap(({ policy }) => policy.permissions))],
    proposes: allowing.flatMap(({ policy, allowed }) => (mayPropose(policy.permissions) ? allowed : [])),
    unmet: inForce.flatMap(({ one, state }) =>
      state === 'met' || state === 'over' ? [] : [{ id: one.policy.id, condition: state }],
    ),
    retention: [...new Set(allowing.flatMap(({ conditions }) => conditions?.maxDataRetention ?? []))],
  }
}
