// Holds guests to what the owner has consented to: what the policies of the book, and a receipt where one is presented, leave
// of the reach of their tokens. Invariants: every call of a guest passes here before anything is read for it; the policies are
// those that stand then, read again when one has changed; and a receipt only ever narrows.
import type { PolicyDecision, Way } from '../../core/access/policy-decision.ts'
import { levels, narrowReach, type Reach } from '../../core/access/reach.ts'
import { type Caller, type ChainHolder, type Guest, holdersOfGuest } from '../../core/capability/caller.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Ports } from '../../core/ports.ts'
import { parseScope } from '../../core/access/scope.ts'
import type { Zone } from '../../core/calendar/zone.ts'
import { formatTime } from '../../core/time.ts'
import {
  type CompiledPolicies,
  compilePolicies,
  type Policy,
  type RateLimit,
} from '../../memory/consent/policy/decide.ts'
import { accessRequestBody, policyBody, receiptBody } from '../../memory/consent/policy/policy-kind.ts'
import { checkReceipt, receiptReach } from '../../memory/consent/policy/receipt.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { TimeSeen } from '../../store/time-seen.ts'

/** How a call comes, and what is presented with it. */
export interface Presenting {
  readonly receipt?: string | undefined
  readonly way?: Way | undefined
  /** Rate limits neither count the call nor bound it. */
  readonly isUncounted?: boolean | undefined
}

export interface ConsentGate {
  /** Whoever calls, with what is left of its reach; `unauthorized` for a receipt that is over or not its own. */
  admit(caller: Caller, presenting: Presenting): Caller
  /** The same guest as policies and its receipt stand now: for what goes on for longer than a call, and inside a transaction. */
  renew(guest: Guest): Guest
  /** When a rate limit that is used up lets the guest ask again, the first first; undefined where none is. */
  opensMs(guest: Guest): number | undefined
  /** What the policies say to an agent, by all the names that it has. */
  decide(names: readonly string[], way: Way): PolicyDecision
}

export interface ConsentGateParts {
  readonly store: Pick<BookStore, 'policyRows' | 'records' | 'access'>
  readonly ports: Pick<Ports, 'clock'>
  /** The latest time that was seen: receipts and policies that ended by it are over. */
  readonly seen: Pick<TimeSeen, 'now'>
  /** Whose days are meant where a policy names no zone. */
  readonly zone: Zone
}

/** The verb that an agent without a token may call where a policy lets it propose. */
const proposing = 'a2p:propose'

/** Calls of so many agents are counted, and so many of each. */
const agentLimit = 1000
const callLimit = 100_000

export function createConsentGate({ store, ports: { clock }, seen, zone }: ConsentGateParts): ConsentGate {
  const calls = new CallCounts(store)
  let compiled: { readonly version: string; readonly policies: CompiledPolicies } | undefined

  const policies = (): CompiledPolicies => {
    const version = store.policyRows.version()
    if (compiled?.version !== version) compiled = { version, policies: compilePolicies(readPolicies(store)) }
    return compiled.policies
  }
  const zoneNamed = (name: string | undefined) =>
    name === undefined || name === zone.name ? zone : zone.named?.(name)

  const decide = (names: readonly string[], way: Way, isUncounted = false) =>
    policies().decide(names, {
      nowMs: clock.now(),
      latestMs: seen.now(),
      way,
      zone: zoneNamed,
      // Others may have the first name, too: the last is the agent's own.
      calls: (sinceMs) => (isUncounted ? 0 : calls.since(names.at(-1) ?? '', sinceMs)),
    })

  const receiptOf = (id: string, names: readonly string[]) => {
    const bodyOf = (one: string, kind: string) => {
      const row = store.records.row(one)
      return row?.kind === kind && row.deleted === 0 ? (JSON.parse(row.body) as unknown) : undefined
    }
    const receipt = receiptBody.safeParse(bodyOf(id, 'receipt')).data
    const request = accessRequestBody.safeParse(bodyOf(receipt?.request ?? '', 'access_request')).data
    checkReceipt(receipt, request, names, formatTime(seen.now()))
    return receipt
  }

  const narrowed = (guest: Guest, { receipt, way = 'here', isUncounted }: Presenting): Guest => {
    const own = guest.own ?? guest.reach
    const holders = holdersOfGuest(guest)
    const presented =
      receipt === undefined
        ? undefined
        : receiptOf(
            receipt,
            holders.flatMap(({ names }) => names),
          )
    const decisions = holders.map(({ names }) => decide(names, way, isUncounted))
    // Nobody in the chain is lent what another one of it may: each bounds the call by what it may itself.
    const reach = decisions.reduce((narrow: Reach, { governed }, i) => {
      const isItsOwn = presented && isNamed(holders[i], presented.granted_to)
      if (isItsOwn) return narrowReach(narrow, receiptReach(presented, governed))
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
      consent: { way, ...(receipt === undefined ? {} : { receipt }) },
    }
  }

  return {
    decide: (names, way) => decide(names, way),
    opensMs(guest) {
      const nowMs = clock.now()
      const opens = holdersOfGuest(guest).flatMap(({ names }) =>
        policies()
          .limitsOf(names)
          .flatMap((limit) => calls.opensMs(names.at(-1) ?? '', limit, nowMs) ?? []),
      )
      return opens.length === 0 ? undefined : Math.min(...opens)
    },
    admit(caller, presenting) {
      const { receipt, isUncounted = false } = presenting
      if (caller.role === 'owner') {
        if (receipt === undefined) return caller
        throw new DaybookError(
          'invalid-input',
          '`receipt`: It narrows a guest, and the owner has no bounds.',
          {
            details: { path: 'receipt' },
          },
        )
      }
      // Nobody counts where no policy asks.
      if (policies().isCounting && !isUncounted) calls.note(agentsOf(caller), clock.now())
      return narrowed(caller, presenting)
    },
    renew: (guest) => narrowed(guest, guest.consent ?? {}),
  }
}

const agentsOf = (guest: Guest) => new Set(holdersOfGuest(guest).map(({ agent }) => agent))

const isNamed = (holder: ChainHolder | undefined, name: string) => holder?.names.includes(name) === true

const everything: Reach = { allow: [parseScope('**') ?? []].flat(), deny: [] }

function readPolicies({ policyRows }: ConsentGateParts['store']): Policy[] {
  return policyRows.live().flatMap(({ id, body }): Policy[] => {
    const read = policyBody.safeParse(JSON.parse(body)).data
    return read ? [{ ...read, id }] : [shut(id)]
  })
}

/** A policy that can't be read may have denied anything: nothing is read until it is mended. */
const shut = (id: string): Policy => ({
  id,
  for_agents: '*',
  allow: [],
  deny: [],
  permissions: ['none'],
  priority: 0,
  enabled: true,
})

/** When agents have called this copy of the book. It begins with what the log of access knows of an agent. */
class CallCounts {
  readonly #access: ConsentGateParts['store']['access']
  readonly #calls = new Map<string, number[]>()

  constructor({ access }: ConsentGateParts['store']) {
    this.#access = access
  }

  note(agents: Iterable<string>, atMs: number): void {
    for (const agent of agents) this.#note(agent, atMs)
  }

  #note(agent: string, atMs: number): void {
    const known = this.#calls.get(agent) ?? this.#logged(agent)
    known.push(atMs)
    if (known.length > callLimit) known.splice(0, known.length - callLimit)
    this.#calls.delete(agent)
    if (this.#calls.size >= agentLimit) this.#calls.delete(this.#calls.keys().next().value ?? '')
    this.#calls.set(agent, known)
  }

  since(agent: string, sinceMs: number): number {
    const known = this.#calls.get(agent) ?? []
    let first = known.length
    while (first > 0 && (known[first - 1] ?? 0) > sinceMs) first -= 1
    return known.length - first
  }

  /** When `agent` may ask again that has asked more often than `limit` lets it. */
  opensMs(agent: string, { requests, windowMs }: RateLimit, nowMs: number): number | undefined {
    const known = this.#calls.get(agent) ?? []
    const isUsedUp = this.since(agent, nowMs - windowMs) > requests
    return isUsedUp ? (known.at(-requests) ?? 0) + windowMs : undefined
  }

  #logged(agent: string): number[] {
    const entries = this.#access?.page({ agent, limit: 1000 }) ?? []
    return entries
      .filter(({ by }) => by !== 'owner' && by !== 'unknown')
      .map(({ at }) => Date.parse(at))
      .toReversed()
  }
}

/** True when neither policies nor a receipt let `guest` read anything that they decide about. */
export function isWithoutConsent({ reach }: Guest): boolean {
  const asked = levels(reach).flatMap(({ governed }) => governed ?? [])
  return asked.length === 0 || asked.some(({ rules }) => rules.every(({ isLimit }) => isLimit))
}
