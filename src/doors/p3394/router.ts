// Sends a message over the best way to its agent, and over the next one when that fails in the middle.
// Invariant: it goes out under the same id each time, so however many ways it took, it was done once.
import { type AbortSignalLike, neverAborted } from '../../core/abort.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import { type AgentWay, health, type SubagentRegistry } from './registry.ts'
import type { AgentReply, AgentRequest, TransportType } from './transport.ts'

export interface Delivered {
  readonly data: unknown
  readonly transport_used: TransportType
  /** The ways that failed under this message, in their order. */
  readonly failed_over: readonly TransportType[]
}

export interface RouteChoice {
  /** Only over this one. */
  readonly transport?: TransportType | undefined
  readonly signal?: AbortSignalLike | undefined
}

/**
 * Rejects with what the agent answered, with `not-found` for an agent that nobody registered, and with `no-transport` when no
 * way works now: `details.failed` says which were tried.
 */
export async function route(
  registry: SubagentRegistry,
  request: AgentRequest,
  { transport, signal = neverAborted }: RouteChoice = {},
): Promise<Delivered> {
  const all = registry.waysTo(request.agent)
  const wanted = all.filter((way) => transport === undefined || way.transport.type === transport)
  const failed: TransportType[] = []
  let last: DaybookError | undefined
  for (const way of wanted.filter((one) => one.isHealthy())) {
    const { type } = way.transport
    try {
      const reply = await sendOver(way, request, signal)
      if (!reply.ok) throw new Refused(reply.error)
      return { data: reply.data, transport_used: type, failed_over: failed }
    } catch (error) {
      if (error instanceof Refused) throw error.refusal
      if (signal.aborted) throw toDaybookError(error)
      last = toDaybookError(error)
      failed.push(type)
    }
  }
  throw new DaybookError('no-transport', last?.message ?? `No way to \`${request.agent}\` works now.`, {
    details: { agent: request.agent, failed, ...(transport === undefined ? {} : { transport }) },
    ...(last ? { cause: last } : {}),
  })
}

/** What an agent said, and not what became of a way to it. */
class Refused extends Error {
  readonly refusal: DaybookError
  constructor(refusal: DaybookError) {
    super(refusal.message)
    this.refusal = refusal
  }
}

async function sendOver(way: AgentWay, request: AgentRequest, signal: AbortSignalLike): Promise<AgentReply> {
  try {
    // Who has been silent is asked first whether it is still there: a message would wait for it.
    if (way.isQuiet(health.heartbeatMs)) await way.transport.beat(signal)
    const reply = await way.transport.send(request, signal)
    way.worked()
    return reply
  } catch (error) {
    if (!signal.aborted) way.failed()
    throw error
  }
}
