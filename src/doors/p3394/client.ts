// `daybook/client`: sends messages to memories and other agents, over HTTP or over whatever ways it is given.
// Invariant: it holds no book and brings no engine; what it sends has an id, so that it may go out more than once.
import type { AbortSignalLike } from '../../core/abort.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { CapabilityId, CapabilityInput, CapabilityOutput } from '../../book/daybook.ts'
import { createHttpTransport } from './http-transport.ts'
import { type Registration, type SubagentEntry, SubagentRegistry } from './registry.ts'
import { type Delivered, route } from './router.ts'
import type { AgentTransport, TransportType } from './transport.ts'

export type { AgentReply, AgentRequest, AgentTransport, TransportType } from './transport.ts'
export type { AgentManifest, Registration, SubagentEntry } from './registry.ts'
export type { Delivered } from './router.ts'
export { DaybookError, isDaybookError }

/** The agent that a memory is, unless it was registered under another name. */
export const memoryAgent = 'kstar-memory'

export interface ClientOptions {
  /** The address of an edge or of `daybook serve`, and the key to it; `book` where it was not started for one. */
  readonly url?: string
  readonly key?: string
  readonly book?: string
  /** Other ways to the memory. */
  readonly transports?: readonly AgentTransport[]
  /** What it calls itself; default `daybook-client`. */
  readonly source?: string
}

export interface SendOptions<Id extends string, Content> {
  /** The agent; default the memory. */
  readonly destination?: string
  readonly capability: Id
  readonly content?: Content
  /** Sent again under this id, it is done once. Default: a new one. */
  readonly requestId?: string
  readonly signal?: AbortSignalLike
  /** Over this way alone. */
  readonly transport?: TransportType
}

type Answer<Id extends string> = Id extends CapabilityId ? CapabilityOutput<Id> : unknown
type Content<Id extends string> = Id extends CapabilityId
  ? CapabilityInput<Id> | Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>

export class DaybookClient implements AsyncDisposable {
  readonly #registry = new SubagentRegistry({ now: () => Date.now() })
  readonly #source: string

  constructor({ url, key, book, transports = [], source = 'daybook-client' }: ClientOptions = {}) {
    this.#source = source
    const http = url === undefined ? [] : [createHttpTransport({ url, key, book })]
    const ways = [...transports, ...http]
    if (ways.length > 0) this.register(memoryAgent, { transports: ways })
  }

  /** Makes an agent known under this name, or gives it other ways. */
  register(agentId: string, registration: Registration): void {
    this.#registry.register(agentId, registration)
  }

  /** The agents that are known, and how they are reached. */
  agents(): readonly SubagentEntry[] {
    return this.#registry.list().registered_subagents
  }

  /**
   * What the agent answers. Rejects with its error, with `not-found` for an agent that is not known, and with `no-transport`
   * when no way to it works now.
   */
  async send<Id extends string>(message: SendOptions<Id, Content<Id>>): Promise<Answer<Id>> {
    return (await this.deliver(message)).data as Answer<Id>
  }

  /** The same, and on which way it went. */
  deliver({
    destination = memoryAgent,
    capability,
    content = {},
    requestId = crypto.randomUUID(),
    signal,
    transport,
  }: SendOptions<string, unknown>): Promise<Delivered> {
    const request = { id: requestId, agent: destination, capability, content, source: this.#source }
    return route(this.#registry, request, { transport, signal })
  }

  close(): Promise<void> {
    return this.#registry.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
