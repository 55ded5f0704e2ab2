// One request of the a2p protocol at a mirror: who it is, what is left of its allowance, that it comes once, and then the
// capability, as any other call. Invariant: whatever is refused here stands in the log of access, and nothing is stored for it.
import type { Way } from '../../core/access/policy-decision.ts'
import { DaybookError, type ErrorShape, isDaybookError } from '../../core/errors.ts'
import { checkSigned, refuseSigned, type SignedRequest } from '../../trust/agent/signed-request.ts'
import { type Admitted, payerOf } from '../../trust/admission.ts'
import type { Operation, RateState } from './agent-rate.ts'
import type { Engine } from '../../engine/engine.ts'
import type { AgentGate } from './agent-gate.ts'
import type { Outcome } from '../outcome.ts'

/** What is asked for. */
export interface AgentAsk {
  readonly id: string
  readonly operation: Operation
  readonly input?: unknown
  /** What is wrong with the request itself: it is told to whoever was let in, and written down. */
  readonly fault?: ErrorShape | undefined
  /** Makes a write safe to send again. */
  readonly requestId?: string | undefined
  /** What the call is for, for the log of access. */
  readonly purpose?: string | undefined
  /** The receipt that is presented: the call then reaches what that says. */
  readonly receipt?: string | undefined
  /** How it came, for policies that ask. */
  readonly way: Way
}

export interface AgentAnswer {
  readonly outcome: Outcome<unknown>
  /** Absent for somebody who was not let in. */
  readonly rate?: RateState | undefined
}

/** As much of a book as this needs. */
interface AgentBook {
  readonly engine: Pick<Engine, 'call'>
  readonly agents: AgentGate
  follow?(): Promise<void>
  turn?(caller: string): Promise<void>
}

/** Runs `gate`, and writes down what it refuses. */
type Noted = (gate: () => Promise<void>) => Promise<void>

/** Answers somebody who was let in; `told` is what its allowance is, also when it is refused. */
export async function runAgentCall(
  book: AgentBook,
  admitted: Admitted,
  {
    ask,
    signed,
    noted,
    told,
  }: {
    readonly ask: AgentAsk
    readonly signed: SignedRequest | undefined
    readonly noted: Noted
    told(rate: RateState): void
  },
): Promise<unknown> {
  const { engine, agents } = book
  const { caller, nonceUntilMs } = admitted
  await noted(async () => {
    const rate = await agents.spend(payerOf(admitted), ask.operation)
    told(rate)
    // Refused before its nonce is taken: the same request may come again later, as it is.
    const { retryAfterMs } = rate
    if (retryAfterMs !== undefined)
      throw new DaybookError('rate-limited', undefined, { details: { retryAfterMs } })
    if (signed && !(await agents.takeNonce(signed.did, signed.nonce, nonceUntilMs ?? 0)))
      throw refuseSigned('Nonce already used', 'nonce')
    if (ask.fault) throw DaybookError.from(ask.fault)
  })
  await book.follow?.()
  await book.turn?.(payerOf(admitted))
  const { requestId, purpose, receipt, way } = ask
  return engine.call(ask.id, ask.input, {
    caller,
    way,
    ...(receipt === undefined ? {} : { receipt }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(purpose === undefined ? {} : { purpose }),
  })
}

/** What an agent is told of a book that is not there, or not any more: no more than one that nobody has registered in one. */
export function hideFromAgent(error: unknown, signed: SignedRequest | undefined, nowMs: number): unknown {
  const isGone =
    isDaybookError(error, 'book-erased') ||
    (isDaybookError(error, 'unauthorized') && error.details['reason'] === 'Token not found')
  if (!signed || !isGone) return error
  try {
    checkSigned(signed, nowMs)
    return refuseSigned('Agent not registered', 'did')
  } catch (fault) {
    return fault
  }
}
