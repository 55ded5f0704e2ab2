// Registry of agents with their transports and the health of each transport; sends messages over the best transport.
// Invariant: a transport that failed three times in a row is skipped for 1 to 60 seconds; a transport that was silent
// for 30 seconds gets a heartbeat before a message. A message has the same id on every transport, so it takes effect
// once. No timer keeps a process alive.
import { checkAborted, neverAborted, type AbortSignalLike } from '../../core/abort.ts'
import { defined } from '../../core/defined.ts'
import type { Clock } from '../../core/ports.ts'
import { DaybookError, toDaybookError, invalidInput } from '../../core/errors.ts'
import { formatTime } from '../../core/time.ts'
import {
  type AgentTransport,
  type TransportType,
  transportTypes,
  type AgentReply,
  type AgentRequest,
} from './transport.ts'

const healthLimits = {
  /** After so many failures in a row, the transport pauses. */
  maxFailures: 3,
  /** A transport that was silent for so long is not listed as active. */
  silenceMs: 90_000,
  /** A transport that was silent for so long gets a heartbeat before a message. */
  heartbeatMs: 30_000,
  /** Each further failure doubles the pause, up to the maximum. */
  firstPauseMs: 1000,
  maxPauseMs: 60_000,
} as const

/** The part of a manifest that a registration may have. The registry uses only `agent_id`. */
export interface AgentManifest {
  readonly agent?: { readonly agent_id: string; readonly transports?: readonly { readonly type: string }[] }
}

export interface SubagentEntry {
  readonly agent_id: string
  /** The name of the agent's manifest. */
  readonly manifest_ref: string
  /**
   * `active`: a transport is healthy, and was not silent for `silenceMs`. One that was never used counts as
   * active.
   */
  readonly status: 'active' | 'unavailable'
  readonly transport_active: TransportType | null
  /** Canonical time of the last answer of any transport; null: none. */
  readonly last_heartbeat: string | null
}

export interface Registration {
  readonly manifest?: AgentManifest | undefined
  /**
   * Transports to the agent. `transport_preference` orders them; a type outside of it is not used. Default:
   * `transportTypes`.
   */
  readonly transports: readonly AgentTransport[]
  readonly transport_preference?: readonly TransportType[] | undefined
  /** True: connect the first working transport at once. Default: on the first message. */
  readonly auto_start?: boolean | undefined
}

/** One transport to an agent, with its health. */
class MonitoredTransport {
  readonly transport: AgentTransport
  readonly #clock: Clock
  /** Failures in a row. */
  #failures = 0
  /** Undefined: it never worked. */
  #lastAliveMs: number | undefined
  #pausedUntilMs = 0

  constructor(transport: AgentTransport, clock: Clock) {
    this.transport = transport
    this.#clock = clock
  }

  get lastAliveMs(): number | undefined {
    return this.#lastAliveMs
  }

  isHealthy(): boolean {
    return this.#failures < healthLimits.maxFailures || this.#clock.now() >= this.#pausedUntilMs
  }

  /** True if the transport worked before, but not in the last `ms` milliseconds. */
  isSilentFor(ms: number): boolean {
    return this.#lastAliveMs !== undefined && this.#clock.now() - this.#lastAliveMs >= ms
  }

  noteSuccess(): void {
    this.#failures = 0
    this.#pausedUntilMs = 0
    this.#lastAliveMs = this.#clock.now()
  }

  /** Sends a heartbeat. Returns true if the transport answered. */
  async heartbeat(): Promise<boolean> {
    try {
      await this.transport.beat(neverAborted)
      this.noteSuccess()
      return true
    } catch {
      this.noteFailure()
      return false
    }
  }

  noteFailure(): void {
    this.#failures += 1
    const failuresAboveMax = this.#failures - healthLimits.maxFailures
    if (failuresAboveMax < 0) return
    const pauseMs = Math.min(healthLimits.maxPauseMs, healthLimits.firstPauseMs * 2 ** failuresAboveMax)
    this.#pausedUntilMs = this.#clock.now() + pauseMs
  }
}

interface KnownAgent {
  readonly manifestRef: string
  readonly transports: readonly MonitoredTransport[]
}

export class SubagentRegistry {
  readonly #clock: Clock
  readonly #agents = new Map<string, KnownAgent>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Registers an agent, or replaces its registration. Throws `invalid-input` if no transport has a preferred type.
   */
  register(agentId: string, { manifest, transports, transport_preference, auto_start }: Registration): void {
    const order = transport_preference ?? transportTypes
    const preferred = order.flatMap((type) => transports.filter((one) => one.type === type))
    if (preferred.length === 0) throw invalidInput('transports', 'None has a preferred type')
    const agent = {
      manifestRef: `${manifest?.agent?.agent_id ?? agentId}-manifest`,
      transports: preferred.map((transport) => new MonitoredTransport(transport, this.#clock)),
    }
    this.#agents.set(agentId, agent)
    if (auto_start) void this.#start(agentId, agent)
  }

  /**
   * Sends heartbeats to the transports in order, until one answers, the agent is registered again, or the registry is
   * closed.
   */
  async #start(agentId: string, agent: KnownAgent): Promise<void> {
    for (const monitored of agent.transports) {
      if (this.#agents.get(agentId) !== agent || (await monitored.heartbeat())) return
    }
  }

  /** Returns the transports to an agent, in order of preference. Throws `not-found` for an unknown agent. */
  transportsTo(agentId: string): readonly MonitoredTransport[] {
    const found = this.#agents.get(agentId)
    if (found) return found.transports
    throw new DaybookError('not-found', `No agent \`${agentId.slice(0, 80)}\` is registered.`, {
      details: { path: 'destination', allowed: [...this.#agents.keys()] },
    })
  }

  list(): { readonly registered_subagents: readonly SubagentEntry[] } {
    const entries = Array.from(this.#agents, ([agent_id, { manifestRef, transports }]): SubagentEntry => {
      const active = transports.find(
        (monitored) => monitored.isHealthy() && !monitored.isSilentFor(healthLimits.silenceMs),
      )
      const lastAliveTimes = transports.flatMap(({ lastAliveMs }) =>
        lastAliveMs === undefined ? [] : [lastAliveMs],
      )
      return {
        agent_id,
        manifest_ref: manifestRef,
        status: active ? 'active' : 'unavailable',
        transport_active: active?.transport.type ?? null,
        last_heartbeat: lastAliveTimes.length === 0 ? null : formatTime(Math.max(...lastAliveTimes)),
      }
    })
    return { registered_subagents: entries }
  }

  async close(): Promise<void> {
    const allTransports = Array.from(this.#agents.values()).flatMap((agent) => agent.transports)
    this.#agents.clear()
    await Promise.all(allTransports.map(async ({ transport }) => transport.close()))
  }
}

export interface Delivered {
  readonly data: unknown
  readonly transportUsed: TransportType
  /** Transports that failed for this message, in the order of the attempts. */
  readonly failedOver: readonly TransportType[]
}

interface SendOverBestOptions {
  /** Use only a transport of this type. Default: every transport. */
  readonly transport?: TransportType | undefined
  readonly signal?: AbortSignalLike | undefined
}

/**
 * Sends a message over the first healthy transport, and over the next one if it fails. Rejects with the agent's
 * error, `not-found` for an unknown agent, or `no-transport` if no transport works: `details.failed` lists the
 * transports that failed.
 */
export async function sendOverBest(
  registry: SubagentRegistry,
  request: AgentRequest,
  { transport, signal = neverAborted }: SendOverBestOptions = {},
): Promise<Delivered> {
  const transports = registry.transportsTo(request.agent)
  const candidates = transports.filter(
    (monitored) => transport === undefined || monitored.transport.type === transport,
  )
  const failed: TransportType[] = []
  let lastError: DaybookError | undefined
  for (const monitored of candidates.filter((one) => one.isHealthy())) {
    const { type } = monitored.transport
    // A cancelled message takes effect nowhere.
    checkAborted(signal)
    try {
      const reply = await sendOver(monitored, request, signal)
      if (!reply.ok) throw new AgentRefusal(reply.error)
      return { data: reply.data, transportUsed: type, failedOver: failed }
    } catch (error) {
      if (error instanceof AgentRefusal) throw error.refusal
      if (signal.aborted) throw toDaybookError(error)
      lastError = toDaybookError(error)
      failed.push(type)
    }
  }
  throw new DaybookError(
    'no-transport',
    lastError?.message ?? `The agent \`${request.agent}\` can't be reached now.`,
    {
      details: { agent: request.agent, failed, ...defined({ transport }) },
      ...(lastError ? { cause: lastError } : {}),
    },
  )
}

/** Wraps an error of the agent itself, to distinguish it from a failed transport. */
class AgentRefusal extends Error {
  readonly refusal: DaybookError
  constructor(refusal: DaybookError) {
    super(refusal.message)
    this.refusal = refusal
  }
}

async function sendOver(
  monitored: MonitoredTransport,
  request: AgentRequest,
  signal: AbortSignalLike,
): Promise<AgentReply> {
  try {
    // Send a heartbeat to a silent transport first, so that the message does not wait for a dead one.
    if (monitored.isSilentFor(healthLimits.heartbeatMs)) await monitored.transport.beat(signal)
    const reply = await monitored.transport.send(request, signal)
    monitored.noteSuccess()
    return reply
  } catch (error) {
    if (!signal.aborted) monitored.noteFailure()
    throw error
  }
}
