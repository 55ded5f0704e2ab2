// Decides what an agent may read by the policies of a book. Pure. Invariants: without a matching policy, nothing is
// allowed; a denial by any matching policy applies, whatever its priority and conditions; of two policies that allow
// the same, the one with the lower priority sets the level; and the order of the policies doesn't matter.
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
  /** Decides for an agent with all its names: a policy applies if it matches one of them. */
  decide(agent: string | readonly string[], circumstances: Circumstances): PolicyDecision
  /** Rate limits of the agent's policies, including expired ones. */
  limitsOf(agent: readonly string[]): readonly RateLimit[]
}

/** Most calls in a window. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

interface Compiled {
  readonly policy: Policy
  readonly allowed: readonly ScopePattern[]
  readonly rules: readonly GovernedRule[]
  /** Its rules while its condition is not met. */
  readonly limits: readonly GovernedRule[]
  readonly deny: readonly ScopePattern[]
  readonly conditions: Conditions | undefined
  /** Shared by all policies with the same conditions. */
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
/** For each set: agents of one set with different numbers of calls need separate decisions. */
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
    // Neither patterns nor matching agents contain control characters.
    const agent = names.join('\u0000')
    const found = agents.get(agent)
    if (found) return found
    const named = names.filter(isExactAgent).flatMap((name) => groups.get(name) ?? [])
    const matched = open.filter(({ pattern }) => names.some((name) => matchesAgent(pattern, name)))
    matched.push(...named)
    // Agents with the same policies share their decisions.
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

/** Removes the oldest entry when full. */
function setBounded<Made>(map: Map<string, Made>, name: string, made: Made, limit: number): void {
  if (map.size >= limit && !map.has(name)) map.delete(map.keys().next().value ?? '')
  map.set(name, made)
}

/** Policies by their agent pattern. */
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

/** By priority, then by id, so that the order of equals is stable. */
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
    // `none` denies the agent everything in the policy's scopes, or everything at all without scopes.
    deny: [...patternsOf(deny), ...(isShut ? (allow.length > 0 ? allowed : everything) : [])],
    untilMs: expiresAt === undefined ? Infinity : Date.parse(expiresAt),
  }
}

/** A `none` beside it still denies. */
const mayPropose = (levels: readonly PermissionLevel[]) =>
  levels.some((level) => level === 'propose' || level === 'write')

const everything = patternsOf(['a2p:*', 'ext:*'])

/** The policies that match one agent, with cached decisions. */
class AgentPolicies {
  readonly #policies: readonly Compiled[]
  /** Conditions whose result may change from call to call, each once. */
  readonly #changing: readonly Unmet[]
  /** Ends of policies, earliest first. */
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
    // A decision depends on transport, expired policies and unmet changing conditions only.
    let key = `${call.way} ${over}`
    for (const unmet of this.#changing) key += ` ${unmet(call) ?? ''}`
    const cached = this.#decided.get(key)
    if (cached) return cached
    const made = decisionOf(this.#policies, call)
    setBounded(this.#decided, key, made, decisionLimit)
    return made
  }
}

/** State of a policy at this instant: expired, in force, or with an unmet condition. */
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
      // While a policy's condition is not met, its rules limit those of later policies.
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
