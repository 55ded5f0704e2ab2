// Runs one a2p request at a mirror: charges the caller's rate, checks the nonce, then calls the capability.
// Invariant: a refused request changes no record, and the access log has it.
import type { CallWay } from '../../core/access/governed.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError, type ErrorShape, isDaybookError } from '../../core/errors.ts'
import { checkFields, signedRequestError, type SignedRequest } from '../../trust/agent/signed-request.ts'
import { type AdmittedCaller, quotaOwnerOf } from '../../trust/admission.ts'
import type { Operation, RateState, AgentGate } from './agent-gate.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Outcome } from '../outcome.ts'

/** One a2p request. */
export interface AgentRequest {
  /** Id of the verb. */
  readonly id: string
  /** Selects the hourly limit: see `hourlyLimits`. */
  readonly operation: Operation
  readonly input?: unknown
  /** A fault of the request itself. An admitted caller gets it, and it is logged. */
  readonly fault?: ErrorShape | undefined
  /** Id that makes a repeated write take effect once. */
  readonly requestId?: string | undefined
  /** Purpose of the call, for the access log. */
  readonly purpose?: string | undefined
  /** Id of a consent receipt, which sets the reach of the call. */
  readonly receipt?: string | undefined
  /** Transport of the request, for policies. */
  readonly way: CallWay
}

/** The outcome of a request, and the caller's rate. */
export interface AgentAnswer {
  readonly outcome: Outcome<unknown>
  /** Absent for a caller that was not admitted. */
  readonly rate?: RateState | undefined
}

/** The members of a mirror's book that this module needs. */
interface AgentMirrorBook {
  readonly engine: Pick<Engine, 'call'>
  readonly agents: AgentGate
  /** Loads what other processes wrote since. Absent if only this process writes. */
  catchUp?(): Promise<void>
  /** Waits for this caller's turn, if books share a thread. */
  waitForTurn?(caller: string): Promise<void>
}

/** Runs `check`, and logs its refusal. */
type LogRefusal = (check: () => Promise<void>) => Promise<void>

interface AgentCallOptions {
  readonly request: AgentRequest
  /** The signed request. Undefined: the caller sent a bearer key or token. */
  readonly signed: SignedRequest | undefined
  readonly logRefusal: LogRefusal
  onRate(rate: RateState): void
}

/** Answers an admitted caller. Calls `onRate` with the caller's rate, also before a refusal. */
export async function runAgentCall(
  book: AgentMirrorBook,
  admitted: AdmittedCaller,
  { request, signed, logRefusal, onRate }: AgentCallOptions,
): Promise<unknown> {
  const { engine, agents } = book
  const { caller, nonceUntilMs } = admitted
  await logRefusal(async () => {
    const rate = await agents.charge(quotaOwnerOf(admitted), request.operation)
    onRate(rate)
    // Refuse before the nonce is used, so that the caller can repeat the request.
    const { retryAfterMs } = rate
    if (retryAfterMs !== undefined)
      throw new DaybookError('rate-limited', undefined, { details: { retryAfterMs } })
    // `nonceUntilMs` is never absent for a signed request.
    if (signed && !(await agents.takeNonce(signed.did, signed.nonce, nonceUntilMs ?? 0)))
      throw signedRequestError('Nonce already used', 'nonce')
    if (request.fault) throw DaybookError.from(request.fault)
  })
  await book.catchUp?.()
  await book.waitForTurn?.(quotaOwnerOf(admitted))
  const { requestId, purpose, receipt, way } = request
  return engine.call(request.id, request.input, {
    caller,
    way,
    ...defined({ receipt, requestId, purpose }),
  })
}

/**
 * Returns the error that an unregistered agent gets, if the book is missing or erased, so that an agent can't tell
 * them apart. Returns other errors unchanged.
 */
export function maskMissingBook(error: unknown, signed: SignedRequest | undefined, nowMs: number): unknown {
  // A host reports a missing book like an unknown token.
  const isGone =
    isDaybookError(error, 'book-erased') ||
    (isDaybookError(error, 'unauthorized') && error.details['reason'] === 'Token not found')
  if (!signed || !isGone) return error
  try {
    // An existing book checks the fields before it looks for the agent.
    checkFields(signed, nowMs)
    return signedRequestError('Agent not registered', 'did')
  } catch (signatureError) {
    return signatureError
  }
}
