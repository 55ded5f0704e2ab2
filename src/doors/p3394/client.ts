// `daybook/client`: sends messages to memories and other agents, over HTTP or other transports.
// Invariant: the client contains no book and no engine. Each message has an id, so a retry with this id takes effect
// once.
import type { AbortSignalLike } from '../../core/abort.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import {
  anyOption,
  flagOption,
  functionOption,
  listOption,
  optionsOf,
  type OptionCheck,
  type OptionTable,
  signalOption,
  textOption,
  typedOption,
  wordOption,
} from '../../core/option-check.ts'
import type { CapabilityId, CapabilityInput, CapabilityOutput } from '../../book/daybook.ts'
import type { SeedAnswers } from '../seed-shape/seed-answer.ts'
import {
  createHttpTransport,
  memoryAgent,
  type AgentTransport,
  type TransportType,
  transportTypes,
} from './transport.ts'
import {
  type Registration,
  type SubagentEntry,
  SubagentRegistry,
  type Delivered,
  sendOverBest,
} from './registry.ts'

export type { AgentReply, AgentRequest, AgentTransport, TransportType } from './transport.ts'
export type { AgentManifest, Registration, SubagentEntry } from './registry.ts'
export type { Delivered } from './registry.ts'
export { DaybookError, isDaybookError, memoryAgent }

export interface ClientOptions {
  /** URL of an edge or of `daybook serve`. `key`: its bearer key. `book`: needed if the edge serves several books. */
  readonly url?: string
  readonly key?: string
  readonly book?: string
  /** More transports to the memory. Default: only HTTP to `url`. */
  readonly transports?: readonly AgentTransport[]
  /** The name of the sender. Default: `daybook-client`. */
  readonly source?: string
}

export interface SendOptions<Id extends string, Content> {
  /** The id of the agent. Default: the memory. */
  readonly destination?: string
  readonly capability: Id
  readonly content?: Content
  /** Sent again with this id, a message takes effect once. Default: a new id. */
  readonly requestId?: string
  readonly signal?: AbortSignalLike
  /** Use only this transport. Default: the best one, then the next. */
  readonly transport?: TransportType
}

/** The answer of the seed shape of that id; without one, of the verb. */
type Answer<Id extends string> = Id extends keyof SeedAnswers
  ? SeedAnswers[Id]
  : Id extends CapabilityId
    ? CapabilityOutput<Id>
    : unknown
type Content<Id extends string> = Id extends CapabilityId
  ? CapabilityInput<Id> | Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>

const transportType = wordOption(...transportTypes)

/** Checks a transport, which a program may write itself. Ignores other fields. */
const checkTransport: OptionCheck = (value, path) => {
  const { type, send, beat, close } = (value ?? {}) as Partial<Record<keyof AgentTransport, unknown>>
  transportType(type, `${path}.type`)
  for (const [name, method] of Object.entries({ send, beat, close }))
    functionOption(method, `${path}.${name}`)
}

const anyText = typedOption({ string: anyOption })

/** Checks of the options of every client. */
export const clientOptionTable: OptionTable<ClientOptions> = {
  url: textOption(),
  key: anyText,
  book: anyText,
  transports: listOption(checkTransport),
  source: textOption(),
}
const checkOptions = optionsOf(clientOptionTable)

const checkAgent = textOption()
const checkRegistration = optionsOf<Registration>(
  {
    manifest: anyOption,
    transports: listOption(checkTransport),
    transport_preference: listOption(transportType),
    auto_start: flagOption,
  },
  ['transports'],
)

const checkMessage = optionsOf<SendOptions<string, unknown>>(
  {
    destination: textOption(),
    capability: textOption(),
    content: anyOption,
    requestId: textOption(),
    signal: signalOption,
    transport: transportType,
  },
  ['capability'],
)

export class DaybookClient implements AsyncDisposable {
  readonly #registry = new SubagentRegistry({ now: () => Date.now() })
  readonly #source: string

  /** Throws `invalid-input` for wrong options. */
  constructor(options: ClientOptions = {}) {
    checkOptions(options, '')
    const { url, key, book, transports = [], source = 'daybook-client' } = options
    this.#source = source
    const http = url === undefined ? [] : [createHttpTransport({ url, key, book })]
    const allTransports = [...transports, ...http]
    if (allTransports.length > 0) this.register(memoryAgent, { transports: allTransports })
  }

  /** Registers an agent, or replaces its transports. Throws `invalid-input` for a wrong registration. */
  register(agentId: string, registration: Registration): void {
    checkAgent(agentId, 'agentId')
    checkRegistration(registration, '')
    this.#registry.register(agentId, registration)
  }

  /** Lists the registered agents with their active transports. */
  agents(): readonly SubagentEntry[] {
    return this.#registry.list().registered_subagents
  }

  /**
   * Sends a message, and returns the agent's answer. Rejects with the agent's error, `invalid-input` for a wrong
   * message, `not-found` for an unknown agent, or `no-transport` if no transport works now.
   */
  async send<Id extends string>(message: SendOptions<Id, Content<Id>>): Promise<Answer<Id>> {
    return (await this.deliver(message)).data as Answer<Id>
  }

  /** Like `send`, but returns also the transport that delivered the message, and those that failed. */
  async deliver(message: SendOptions<string, unknown>): Promise<Delivered> {
    checkMessage(message, '')
    const { destination = memoryAgent, capability, content = {}, signal, transport } = message
    const { requestId = crypto.randomUUID() } = message
    const request = { id: requestId, agent: destination, capability, content, source: this.#source }
    return sendOverBest(this.#registry, request, { transport, signal })
  }

  close(): Promise<void> {
    return this.#registry.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
