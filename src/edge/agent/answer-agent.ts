// Runs one a2p request at a mirror: charges its rate, checks its nonce, then calls the capability.
// Invariant: every refusal is in the access log, and stores nothing.
import type { CallWay } from '../../core/access/governed.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError, type ErrorShape, isDaybookError } from '../../core/errors.ts'
import { checkSigned, refuseSigned, type SignedRequest } from '../../trust/agent/signed-request.ts'
import { type Admitted, payerOf } from '../../trust/admission.ts'
import type { Operation, RateState, AgentGate } from './agent-gate.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Outcome } from '../outcome.ts'

export interface AgentAsk {
  readonly id: string
  readonly operation: Operation
  readonly input?: unknown
  /** A fault of the request itself, reported to an admitted caller and logged. */
  readonly fault?: ErrorShape | undefined
  /** Makes a write safe to retry. */
  readonly requestId?: string | undefined
  /** The purpose, for the access log. */
  readonly purpose?: string | undefined
  /** The id of a receipt, which sets the call's reach. */
  readonly receipt?: string | undefined
  /** How the request arrived, for policies. */
  readonly way: CallWay
}

export interface AgentAnswer {
  readonly outcome: Outcome<unknown>
  /** Absent for a caller who was not admitted. */
  readonly rate?: RateState | undefined
}

/** The needed part of a book. */
interface AgentBook {
  readonly engine: Pick<Engine, 'call'>
  readonly agents: AgentGate
  follow?(): Promise<void>
  turn?(caller: string): Promise<void>
}

/** Runs `gate`, and logs its refusals. */
type Audited = (gate: () => Promise<void>) => Promise<void>

/** Answers an admitted caller. `onRate` gets its rate, also on a refusal. */
export async function runAgentCall(
  book: AgentBook,
  admitted: Admitted,
  {
    ask,
    signed,
    audited,
    onRate,
  }: {
    readonly ask: AgentAsk
    readonly signed: SignedRequest | undefined
    readonly audited: Audited
    onRate(rate: RateState): void
  },
): Promise<unknown> {
  const { engine, agents } = book
  const { caller, nonceUntilMs } = admitted
  await audited(async () => {
    const rate = await agents.spend(payerOf(admitted), ask.operation)
    onRate(rate)
    // Refuse before the nonce is used, so that the same request can be retried.
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
    ...defined({ receipt, requestId, purpose }),
  })
}

/** Answers an agent of a missing or erased book like an unregistered agent. */
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
