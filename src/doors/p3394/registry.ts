// The agents that messages can be sent to, the ways to each, and how well each way works.
// Invariant: a way that has failed three times is not taken until it has rested, and one that has been silent for 30 seconds
// not before a heartbeat; nothing of this keeps a process alive.
import { neverAborted } from '../../core/abort.ts'
import type { Clock } from '../../core/ports.ts'
import { DaybookError } from '../../core/errors.ts'
import { formatTime } from '../../core/time.ts'
import { type AgentTransport, type TransportType, transportTypes } from './transport.ts'

export const health = {
  failureLimit: 3,
  silenceMs: 90_000,
  heartbeatMs: 30_000,
  firstRestMs: 1000,
  longestRestMs: 60_000,
} as const

/** As much of a manifest as the registry keeps. */
export interface AgentManifest {
  readonly agent?: { readonly agent_id: string; readonly transports?: readonly { readonly type: string }[] }
}

export interface SubagentEntry {
  readonly agent_id: string
  /** Names the manifest that it was registered with. */
  readonly manifest_ref: string
  readonly status: 'active' | 'unavailable'
  readonly transport_active: TransportType | null
  readonly last_heartbeat: string | null
}

export interface Registration {
  readonly manifest?: AgentManifest | undefined
  /** Ways to the agent; each is tried as often as its health allows. */
  readonly transports: readonly AgentTransport[]
  readonly transport_preference?: readonly TransportType[] | undefined
  /** Its first way that works is begun at once, a process started; default: by the first message. */
  readonly auto_start?: boolean | undefined
}

/** One way to an agent. */
export class AgentWay {
  readonly transport: AgentTransport
  readonly #clock: Clock
  #failures = 0
  #heardAt: number | undefined
  #restUntil = 0

  constructor(transport: AgentTransport, clock: Clock) {
    this.transport = transport
    this.#clock = clock
  }

  get heardAt(): number | undefined {
    return this.#heardAt
  }

  isHealthy(): boolean {
    return this.#failures < health.failureLimit || this.#clock.now() >= this.#restUntil
  }

  /** Nothing was heard for this long: a heartbeat comes before the next message. */
  isQuiet(ms: number): boolean {
    return this.#heardAt !== undefined && this.#clock.now() - this.#heardAt >= ms
  }

  worked(): void {
    this.#failures = 0
    this.#restUntil = 0
    this.#heardAt = this.#clock.now()
  }

  /** Asks for a heartbeat; whether one came. */
  async answers(): Promise<boolean> {
    try {
      await this.transport.beat(neverAborted)
      this.worked()
      return true
    } catch {
      this.failed()
      return false
    }
  }

  failed(): void {
    this.#failures += 1
    const beyond = this.#failures - health.failureLimit
    if (beyond < 0) return
    const restMs = Math.min(health.longestRestMs, health.firstRestMs * 2 ** beyond)
    this.#restUntil = this.#clock.now() + restMs
  }
}

interface KnownAgent {
  readonly manifestRef: string
  readonly ways: readonly AgentWay[]
}

export class SubagentRegistry {
  readonly #clock: Clock
  readonly #agents = new Map<string, KnownAgent>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws `invalid-input` when there is no way to the agent. Registered again, an agent has the new ways alone. */
  register(agentId: string, { manifest, transports, transport_preference, auto_start }: Registration): void {
    const order = transport_preference ?? transportTypes
    const ways = order.flatMap((type) => transports.filter((one) => one.type === type))
    if (ways.length === 0)
      throw new DaybookError('invalid-input', '`transports`: There is none of those that are preferred.', {
        details: { path: 'transports' },
      })
    const agent = {
      manifestRef: `${manifest?.agent?.agent_id ?? agentId}-manifest`,
      ways: ways.map((transport) => new AgentWay(transport, this.#clock)),
    }
    this.#agents.set(agentId, agent)
    if (auto_start) void this.#start(agentId, agent)
  }

  /** Goes on to the next way where one fails, unless the agent was registered anew or all is closed meanwhile. */
  async #start(agentId: string, agent: KnownAgent): Promise<void> {
    for (const way of agent.ways) {
      if (this.#agents.get(agentId) !== agent || (await way.answers())) return
    }
  }

  /** The ways to an agent, best first; `not-found` for an agent that nobody registered. */
  waysTo(agentId: string): readonly AgentWay[] {
    const found = this.#agents.get(agentId)
    if (found) return found.ways
    throw new DaybookError('not-found', `No agent \`${agentId.slice(0, 80)}\` is registered.`, {
      details: { path: 'destination', known: [...this.#agents.keys()] },
    })
  }

  list(): { readonly registered_subagents: readonly SubagentEntry[] } {
    const entries = Array.from(this.#agents, ([agent_id, { manifestRef, ways }]): SubagentEntry => {
      const active = ways.find((way) => way.isHealthy() && !way.isQuiet(health.silenceMs))
      const heard = ways.flatMap(({ heardAt }) => (heardAt === undefined ? [] : [heardAt]))
      return {
        agent_id,
        manifest_ref: manifestRef,
        status: active ? 'active' : 'unavailable',
        transport_active: active?.transport.type ?? null,
        last_heartbeat: heard.length === 0 ? null : formatTime(Math.max(...heard)),
      }
    })
    return { registered_subagents: entries }
  }

  async close(): Promise<void> {
    const ways = Array.from(this.#agents.values()).flatMap((agent) => agent.ways)
    this.#agents.clear()
    await Promise.all(ways.map(async ({ transport }) => transport.close()))
  }
}
