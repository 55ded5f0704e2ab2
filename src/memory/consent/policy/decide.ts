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
  type Circumstances,
  compileConditions,
  type Conditions,
  type Instant,
  instantOf,
  isChanging,
  rateLimitOf,
  readConditions,
  type Unmet,
} from './condition.ts'
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
  decide(agent: string | readonly string[], circumstances: Circumstances): PolicyDecision
  /** Rate limits of the policies that match the agent, with expired policies. */
  limitsOf(agent: readonly string[]): readonly RateLimit[]
}

/** At most `requests` calls in the last `windowMs` milliseconds. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

interface Compiled {
  readonly policy: Policy
  readonly allowed: readonly ScopePattern[]
  readonly rules: readonly GovernedRule[]
  /** The rules while a condition of the policy is unmet: they limit other policies and allow nothing. */
  readonly limits: readonly GovernedRule[]
  readonly deny: readonly ScopePattern[]
  readonly conditions: Conditions | undefined
  /** One function for all policies with the same conditions. */
  readonly unmet: Unmet
  readonly untilMs: number
}

/** Policies with the same agent pattern. */
interface Group {
  readonly index: number
  readonly pattern: string
  readonly policies: Compiled[]
}

/** Most agents whose policies are cached, and most sets of policies whose decisions are cached. */
const agentLimit = 4096
const setLimit = 256
/** Most cached decisions of one set. They differ by transport, expired policies and unmet conditions. */
const decisionLimit = 64

const noDecision: PolicyDecision = {
  governed: nothingGoverned,
  matched: [],
  allowing: [],
  permissions: [],
  proposes: [],
  unmet: [],
  retention: [],
}

export function compilePolicies(policies: readonly Policy[]): CompiledPolicies {
  const inOrder = policies.filter(({ enabled }) => enabled).toSorted(before)
  const groups = groupsOf(inOrder)
  const open = [...groups.values()].filter(({ pattern }) => !isExactAgent(pattern))
  const agents = new Map<string, AgentPolicies>()
  const shared = new Map<string, AgentPolicies>()
  const policiesOf = (names: readonly string[]): AgentPolicies => {
    // Neither patterns nor matching agents contain control characters, so U+0000 separates the names.
    const agent = names.join('\u0000')
    const found = agents.get(agent)
    if (found) return found
    const named = names.filter(isExactAgent).flatMap((name) => groups.get(name) ?? [])
    const matched = open.filter(({ pattern }) => names.some((name) => matchesAgent(pattern, name)))
    matched.push(...named)
    // Agents with the same policies share one `AgentPolicies` and its cached decisions.
    const name = matched.map(({ index }) => index).join()
    const made = shared.get(name) ?? new AgentPolicies(matched.flatMap((group) => group.policies))
    setBounded(shared, name, made, setLimit)
    setBounded(agents, agent, made, agentLimit)
    return made
  }
  return {
    isCounting: [...groups.values()].some((group) =>
      group.policies.some(({ conditions }) => conditions?.rateLimit !== undefined),
    ),
    limitsOf: (agent) => policiesOf(agent).limits,
    decide: (agent, circumstances) =>
      policiesOf(typeof agent === 'string' ? [agent] : agent).decide(instantOf(circumstances)),
  }
}

/** Sets an entry; removes the oldest entry if the map is full. */
function setBounded<Made>(map: Map<string, Made>, name: string, made: Made, limit: number): void {
  if (map.size >= limit && !map.has(name)) map.delete(map.keys().next().value ?? '')
  map.set(name, made)
}

/** Groups policies by their agent pattern. */
function groupsOf(inOrder: readonly Policy[]): Map<string, Group> {
  const groups = new Map<string, Group>()
  const checks = new Map<string, Pick<Compiled, 'conditions' | 'unmet'>>()
  for (const policy of inOrder) {
    const text = JSON.stringify(policy.conditions ?? {})
    const conditions = readConditions(policy.conditions)
    const check = checks.get(text) ?? { conditions, unmet: compileConditions(conditions) }
    checks.set(text, check)
    const pattern = policy.forAgents
    const group = groups.get(pattern) ?? { index: groups.size, pattern, policies: [] }
    group.policies.push({ ...compile(policy), ...check })
    groups.set(pattern, group)
  }
  return groups
}

/** Sorts by priority, then by id, so that the order of equal priorities is stable. */
function before(a: Policy, b: Policy): number {
  return a.priority - b.priority || (a.id < b.id ? -1 : Number(a.id > b.id))
}

function compile(policy: Policy): Omit<Compiled, 'conditions' | 'unmet'> {
  const { allow, deny, permissions, priority, expiresAt } = policy
  const isShut = highestLevel(permissions) === 'none'
  const allowed = patternsOf(allow)
  const rules = isShut ? [] : readingRules(permissions, allowed, priority)
  return {
    policy,
    allowed,
    rules,
    limits: rules.map((rule) => ({ ...rule, isLimit: true })),
    // `none` denies the agent everything in the policy's scopes, or everything if the policy has no scopes.
    deny: [...patternsOf(deny), ...(isShut ? (allow.length > 0 ? allowed : everything) : [])],
    untilMs: expiresAt === undefined ? Infinity : Date.parse(expiresAt),
  }
}

/** True if the levels of a policy let the agent propose. A denial by any policy still applies. */
const mayPropose = (levels: readonly PermissionLevel[]) =>
  levels.some((level) => level === 'propose' || level === 'write')

const everything = patternsOf(['a2p:*', 'ext:*'])

/** The policies that match one agent, with cached decisions. */
class AgentPolicies {
  readonly #policies: readonly Compiled[]
  /** Conditions whose result may change from call to call, each once. */
  readonly #changing: readonly Unmet[]
  /** Times at which policies expire, in milliseconds since 1970 UTC, earliest first. */
  readonly #ends: readonly number[]
  readonly #decided = new Map<string, PolicyDecision>()
  readonly limits: readonly RateLimit[]

  constructor(policies: readonly Compiled[]) {
    this.#policies = policies.toSorted((a, b) => before(a.policy, b.policy))
    const changing = policies.filter(({ conditions }) => isChanging(conditions))
    this.#changing = [...new Set(changing.map(({ unmet }) => unmet))]
    this.limits = policies.flatMap(({ conditions }) => (conditions ? (rateLimitOf(conditions) ?? []) : []))
    const ends = policies.map(({ untilMs }) => untilMs).filter(Number.isFinite)
    this.#ends = [...new Set(ends)].toSorted((a, b) => a - b)
  }

  decide(call: Instant): PolicyDecision {
    if (this.#policies.length === 0) return noDecision
    let over = 0
    while (over < this.#ends.length && call.latestMs >= (this.#ends[over] ?? Infinity)) over += 1
    // A decision depends only on the transport, expired policies and unmet changing conditions.
    let key = `${call.way} ${over}`
    for (const unmet of this.#changing) key += ` ${unmet(call) ?? ''}`
    const cached = this.#decided.get(key)
    if (cached) return cached
    const made = decisionOf(this.#policies, call)
    setBounded(this.#decided, key, made, decisionLimit)
    return made
  }
}

/** State of a policy for this call: expired (`over`), in force (`met`), or its first unmet condition. */
function stateOf({ unmet, untilMs }: Compiled, call: Instant): UnmetCondition | 'over' | 'met' {
  return call.latestMs >= untilMs ? 'over' : (unmet(call) ?? 'met')
}

function decisionOf(policies: readonly Compiled[], call: Instant): PolicyDecision {
  const inForce = policies
    .map((one) => ({ one, state: stateOf(one, call) }))
    .filter(({ state }) => state !== 'over')
  const allowing = inForce.filter(({ state }) => state === 'met').map(({ one }) => one)
  return {
    governed: governedBy(
      // While a condition of a policy is unmet, its rules limit those of policies with a greater priority value.
      inForce.flatMap(({ one, state }) => (state === 'met' ? one.rules : one.limits)),
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
