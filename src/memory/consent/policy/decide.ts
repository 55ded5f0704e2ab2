// What the policies of a book let an agent read. Pure. Invariants: without a policy that matches nothing is allowed; what any
// policy that matches denies is denied, whatever its priority and its conditions; of two that allow the same the one of the
// lower priority says how much; and the order in which policies are given makes no difference.
import { governedBy, type GovernedRule, nothingGoverned } from '../../../core/access/governed.ts'
import type { PermissionLevel, PolicyDecision, UnmetCondition } from '../../../core/access/policy-decision.ts'
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
import { patternsOf } from './memory-scope.ts'
import { highestLevel, readingRules } from './permission-level.ts'

/** A policy as decisions need it. */
export interface Policy {
  readonly id: string
  readonly for_agents: string
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly permissions: readonly PermissionLevel[]
  readonly conditions?: Readonly<Record<string, unknown>> | undefined
  readonly priority: number
  readonly enabled: boolean
  /** Canonical UTC text. */
  readonly expires_at?: string | undefined
}

/** Policies that were read once, for many decisions. */
export interface CompiledPolicies {
  /** True when a policy asks how often an agent has called. */
  readonly isCounting: boolean
  /** By all the names that the agent has: a policy is for it when it is for one of them. */
  decide(agent: string | readonly string[], given: Circumstances): PolicyDecision
  /** How often those that are for the agent let it ask, also those that have ended. */
  limitsOf(agent: readonly string[]): readonly RateLimit[]
}

/** So many calls within so long. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

interface Compiled {
  readonly policy: Policy
  readonly allowed: readonly ScopePattern[]
  readonly rules: readonly GovernedRule[]
  /** What is left of its rules where its condition does not hold. */
  readonly limits: readonly GovernedRule[]
  readonly deny: readonly ScopePattern[]
  readonly conditions: Conditions | undefined
  /** The same for all policies of the same conditions. */
  readonly unmet: Unmet
  readonly untilMs: number
}

/** Policies for the same pattern of agents. */
interface Group {
  readonly index: number
  readonly pattern: string
  readonly policies: Compiled[]
}

/** So many agents have their policies remembered, and so many sets of policies what was decided by them. */
const agentLimit = 4096
const setLimit = 256
/** For each set: agents of one set that have called more or less often are decided about apart. */
const decisionLimit = 64

const nobodys: PolicyDecision = {
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
  const known = new Map<string, AgentPolicies>()
  const shared = new Map<string, AgentPolicies>()
  const policiesOf = (names: readonly string[]): AgentPolicies => {
    // No pattern has a control character, and no agent that one is written for.
    const agent = names.join('\u0000')
    const found = known.get(agent)
    if (found) return found
    const named = names.filter(isExactAgent).flatMap((name) => groups.get(name) ?? [])
    const matched = open.filter(({ pattern }) => names.some((name) => matchesAgent(pattern, name)))
    matched.push(...named)
    // Agents that the same policies are for are decided about once.
    const name = matched.map(({ index }) => index).join()
    const made = shared.get(name) ?? new AgentPolicies(matched.flatMap((group) => group.policies))
    keep(shared, name, made, setLimit)
    keep(known, agent, made, agentLimit)
    return made
  }
  return {
    isCounting: [...groups.values()].some((group) =>
      group.policies.some(({ conditions }) => conditions?.rateLimit !== undefined),
    ),
    limitsOf: (agent) => policiesOf(agent).limits,
    decide: (agent, given) =>
      policiesOf(typeof agent === 'string' ? [agent] : agent).decide(instantOf(given)),
  }
}

/** What was kept first makes room. */
function keep<Made>(map: Map<string, Made>, name: string, made: Made, limit: number): void {
  if (map.size >= limit && !map.has(name)) map.delete(map.keys().next().value ?? '')
  map.set(name, made)
}

/** Policies by the agents that they are for. */
function groupsOf(inOrder: readonly Policy[]): Map<string, Group> {
  const groups = new Map<string, Group>()
  const checks = new Map<string, Pick<Compiled, 'conditions' | 'unmet'>>()
  for (const policy of inOrder) {
    const said = JSON.stringify(policy.conditions ?? {})
    const conditions = readConditions(policy.conditions)
    const check = checks.get(said) ?? { conditions, unmet: compileConditions(conditions) }
    checks.set(said, check)
    const pattern = policy.for_agents
    const group = groups.get(pattern) ?? { index: groups.size, pattern, policies: [] }
    group.policies.push({ ...compile(policy), ...check })
    groups.set(pattern, group)
  }
  return groups
}

/** By priority, and then by what is theirs alone, so that the order of equals is always the same. */
function before(a: Policy, b: Policy): number {
  return a.priority - b.priority || (a.id < b.id ? -1 : Number(a.id > b.id))
}

function compile(policy: Policy): Omit<Compiled, 'conditions' | 'unmet'> {
  const { allow, deny, permissions, priority, expires_at } = policy
  const isShut = highestLevel(permissions) === 'none'
  const allowed = patternsOf(allow)
  const rules = isShut ? [] : readingRules(permissions, allowed, priority)
  return {
    policy,
    allowed,
    rules,
    limits: rules.map((rule) => ({ ...rule, isLimit: true })),
    // `none` shuts the agent out of what the policy is about: of everything when it names nothing.
    deny: [...patternsOf(deny), ...(isShut ? (allow.length > 0 ? allowed : everything) : [])],
    untilMs: expires_at === undefined ? Infinity : Date.parse(expires_at),
  }
}

/** `none` beside it shuts the agent out all the same. */
const mayPropose = (levels: readonly PermissionLevel[]) =>
  levels.some((level) => level === 'propose' || level === 'write')

const everything = patternsOf(['a2p:*', 'ext:*'])

/** The policies that match one agent. What was decided under the same conditions is the same decision. */
class AgentPolicies {
  readonly #policies: readonly Compiled[]
  /** Conditions that may hold for one call and not for the next, each once. */
  readonly #changing: readonly Unmet[]
  /** When policies are over, the first first. */
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
    if (this.#policies.length === 0) return nobodys
    let over = 0
    while (over < this.#ends.length && call.latestMs >= (this.#ends[over] ?? Infinity)) over += 1
    // How a call comes, which policies are over and what of the changing holds is all that a decision looks at.
    let key = `${call.way} ${over}`
    for (const unmet of this.#changing) key += ` ${unmet(call) ?? ''}`
    const known = this.#decided.get(key)
    if (known) return known
    const made = decisionOf(this.#policies, call)
    keep(this.#decided, key, made, decisionLimit)
    return made
  }
}

/** What a policy is at this instant: over, in force, or kept from allowing anything. */
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
      // What its condition keeps a policy from allowing, none that comes after it allows more of.
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
