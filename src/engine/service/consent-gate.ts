// Limits guests to the owner's consent: the policies of the book, and a presented receipt, narrow the reach of a
// token.
// Invariant: every call of a guest passes here before any record is read for the guest; after a change of a policy,
// all policies are read again; a receipt never widens a reach.
import type { PolicyDecision, CallWay } from '../../core/access/governed.ts'
import { reachLevels, narrowReach, type Reach } from '../../core/access/reach.ts'
import { parseScope } from '../../core/access/scope.ts'
import type { Zone } from '../../core/zone.ts'
import { type Caller, type ChainHolder, type Guest, holdersOfGuest } from '../../core/capability/caller.ts'
import { defined } from '../../core/defined.ts'
import { invalidInput } from '../../core/errors.ts'
import type { Ports } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import {
  type CompiledPolicies,
  compilePolicies,
  type Policy,
  type RateLimit,
} from '../../memory/consent/policy/policy-decision.ts'
import { accessRequestBody, policyBody, receiptBody } from '../../memory/consent/policy/policy-kind.ts'
import { assertReceipt, receiptReach } from '../../memory/consent/policy/receipt.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { TimeSeen } from '../../store/time-seen.ts'

/** The parts of a call that consent depends on; `receipt` and `way` as in `CallOptions`. */
export interface Presenting {
  readonly receipt?: string | undefined
  readonly way?: CallWay | undefined
  /** True: rate limits neither count nor limit the call. Default: false. */
  readonly isUncounted?: boolean | undefined
}

export interface ConsentGateParts {
  readonly store: Pick<BookStore, 'policyRows' | 'records' | 'access'>
  readonly ports: Pick<Ports, 'clock'>
  /** The latest time seen: a receipt or policy that had ended by then stays ended, also if the clock is set back. */
  readonly seen: Pick<TimeSeen, 'now'>
  /** The zone of a policy that names no zone. */
  readonly zone: Zone
  /** Verbs that rate limits do not count, though the access log has them. */
  readonly uncounted: readonly string[]
}

/** The verb that an agent without a token may call if a policy permits the agent to propose. */
const proposing = 'a2p:propose'

/** Most agents whose calls are counted, and most counted calls of each agent. */
const agentLimit = 1000
const callLimit = 100_000

export class ConsentGate {
  readonly #parts: ConsentGateParts
  readonly #calls: CallCounts
  #compiled: { readonly version: string; readonly policies: CompiledPolicies } | undefined

  constructor(parts: ConsentGateParts) {
    this.#parts = parts
    this.#calls = new CallCounts(parts)
  }

  /**
   * Returns the caller with its narrowed reach. Throws `unauthorized` for a receipt that has ended or belongs to
   * another agent, and `invalid-input` for a receipt of the owner.
   */
  admit(caller: Caller, presenting: Presenting): Caller {
    const { receipt, isUncounted = false } = presenting
    if (caller.role === 'owner') {
      if (receipt === undefined) return caller
      throw invalidInput('receipt', 'It narrows a guest, and the owner has no bounds')
    }
    // Without a rate limit, no calls are counted.
    if (this.#policies().isCounting && !isUncounted)
      this.#calls.note(agentsOf(caller), this.#parts.ports.clock.now())
    return this.#narrowed(caller, presenting)
  }

  /** The guest with its reach by the current policies and receipt: for long work, and inside a transaction. */
  renew(guest: Guest): Guest {
    return this.#narrowed(guest, guest.consent ?? {})
  }

  /**
   * When the first exhausted rate limit of the guest opens again, in ms since 1970; undefined if no limit is
   * exhausted.
   */
  opensMs(guest: Guest): number | undefined {
    const nowMs = this.#parts.ports.clock.now()
    const opens = holdersOfGuest(guest).flatMap(({ names }) =>
      this.#policies()
        .limitsOf(names)
        .flatMap((limit) => this.#calls.opensMs(names.at(-1) ?? '', limit, nowMs) ?? []),
    )
    return opens.length === 0 ? undefined : Math.min(...opens)
  }

  /** The decision of the policies about an agent. `names`: all names of the agent, its own name last. */
  decide(names: readonly string[], way: CallWay, isUncounted = false): PolicyDecision {
    const { ports, seen, zone } = this.#parts
    return this.#policies().decide(names, {
      nowMs: ports.clock.now(),
      latestMs: seen.now(),
      way,
      zone: (name) => (name === undefined || name === zone.name ? zone : zone.named?.(name)),
      // Several agents may share the first names: the last name is the agent's own.
      calls: (sinceMs) => (isUncounted ? 0 : this.#calls.since(names.at(-1) ?? '', sinceMs)),
    })
  }

  #policies(): CompiledPolicies {
    const { store } = this.#parts
    const version = store.policyRows.version()
    if (this.#compiled?.version !== version)
      this.#compiled = { version, policies: compilePolicies(readPolicies(store)) }
    return this.#compiled.policies
  }

  #receipt(id: string, names: readonly string[]) {
    const { records } = this.#parts.store
    const bodyOf = (one: string, kind: string) => {
      const row = records.row(one)
      return row?.kind === kind && row.deleted === 0 ? (JSON.parse(row.body) as unknown) : undefined
    }
    const receipt = receiptBody.safeParse(bodyOf(id, 'receipt')).data
    const request = accessRequestBody.safeParse(bodyOf(receipt?.request ?? '', 'access_request')).data
    assertReceipt(receipt, request, names, formatTime(this.#parts.seen.now()))
    return receipt
  }

  #narrowed(guest: Guest, { receipt, way = 'here', isUncounted }: Presenting): Guest {
    // On a renewal, `reach` is narrowed already, and `own` is the reach before.
    const own = guest.own ?? guest.reach
    const holders = holdersOfGuest(guest)
    const allNames = holders.flatMap(({ names }) => names)
    const presented = receipt === undefined ? undefined : this.#receipt(receipt, allNames)
    // `governed` of a decision: the rules of the policies, as a part of a reach.
    const decisions = holders.map(({ names }) => this.decide(names, way, isUncounted))
    // Each holder in the chain bounds the call by its own reach: no holder gives another holder more reach than its
    // own.
    const reach = decisions.reduce((narrow: Reach, { governed }, i) => {
      const isItsOwn = presented && isNamed(holders[i], presented.grantedTo)
      if (isItsOwn) return narrowReach(narrow, receiptReach(presented, governed))
      // The first holder is the guest itself, whose reach this is. Each further holder bounds it by one more.
      return i === 0 ? { ...narrow, governed } : narrowReach({ ...everything, governed }, narrow)
    }, own)
    const proposes = decisions[0]?.proposes ?? []
    const isByPolicy = guest.proposesByPolicy === true
    const isSilent = isByPolicy && proposes.length === 0
    return {
      ...guest,
      ...(isSilent ? { permissions: guest.permissions.filter((one) => one !== proposing) } : {}),
      ...(isByPolicy ? { proposes } : {}),
      own,
      reach,
      consent: { way, ...defined({ receipt }) },
    }
  }
}

const agentsOf = (guest: Guest) => new Set(holdersOfGuest(guest).map(({ agent }) => agent))

const isNamed = (holder: ChainHolder | undefined, name: string) => holder?.names.includes(name) === true

/** The whole book: a base for a reach that only policies (`governed`) limit. */
const everything: Reach = { allow: [parseScope('**') ?? []].flat(), deny: [] }

function readPolicies({ policyRows }: ConsentGateParts['store']): Policy[] {
  return policyRows.liveRows().flatMap(({ id, body }): Policy[] => {
    const read = policyBody.safeParse(JSON.parse(body)).data
    return read ? [{ ...read, id }] : [denyAll(id)]
  })
}

/** Replaces an unreadable policy, which may have denied anything: denies everything until the policy is repaired. */
const denyAll = (id: string): Policy => ({
  id,
  forAgents: '*',
  allow: [],
  deny: [],
  permissions: ['none'],
  priority: 0,
  enabled: true,
})

/**
 * Times of calls at this copy of the book, by agent. The first times of an agent come from the access log, which does
 * not show whether a refused call was counted: calls that lacked a right then do not count.
 */
class CallCounts {
  readonly #parts: Pick<ConsentGateParts, 'store' | 'uncounted'>
  readonly #calls = new Map<string, number[]>()

  constructor(parts: Pick<ConsentGateParts, 'store' | 'uncounted'>) {
    this.#parts = parts
  }

  note(agents: Iterable<string>, atMs: number): void {
    for (const agent of agents) this.#note(agent, atMs)
  }

  #note(agent: string, atMs: number): void {
    const times = this.#calls.get(agent) ?? this.#logged(agent)
    times.push(atMs)
    if (times.length > callLimit) times.splice(0, times.length - callLimit)
    this.#calls.delete(agent)
    if (this.#calls.size >= agentLimit) this.#calls.delete(this.#calls.keys().next().value ?? '')
    this.#calls.set(agent, times)
  }

  since(agent: string, sinceMs: number): number {
    const times = this.#calls.get(agent) ?? []
    let first = times.length
    while (first > 0 && (times[first - 1] ?? 0) > sinceMs) first -= 1
    return times.length - first
  }

  /** When `agent` may call again, in ms since 1970; undefined if it has not exhausted the limit. */
  opensMs(agent: string, { requests, windowMs }: RateLimit, nowMs: number): number | undefined {
    const times = this.#calls.get(agent) ?? []
    // The present call is counted already.
    const isExhausted = this.since(agent, nowMs - windowMs) > requests
    return isExhausted ? (times.at(-requests) ?? 0) + windowMs : undefined
  }

  #logged(agent: string): number[] {
    const { store, uncounted } = this.#parts
    return (store.access?.guestCallTimes(agent, uncounted, callLimit) ?? []).map((at) => Date.parse(at))
  }
}

/** True if neither policies nor a receipt let `guest` read any memory. */
export function isWithoutConsent({ reach }: Guest): boolean {
  // A rule with `isLimit` permits nothing by itself.
  const governing = reachLevels(reach).flatMap(({ governed }) => governed ?? [])
  return governing.length === 0 || governing.some(({ rules }) => rules.every(({ isLimit }) => isLimit))
}
