// What goes wrong, in the codes of the a2p protocol: one table from ours to theirs. Invariant: every code of ours has a row, so
// that no answer of this door has another shape; and what went wrong inside is told to nobody.
import { DaybookError, type ErrorCode, errorTable, toDaybookError } from '../../../core/errors.ts'
import type { SignedReason } from '../../../trust/agent/signed-request.ts'

/** The protocol's codes that this door answers with (specification, "Error Codes"), and their HTTP statuses. */
export const protocolCodes = {
  A2P001: { name: 'unauthorized', status: 401 },
  A2P002: { name: 'forbidden', status: 403 },
  A2P003: { name: 'not_found', status: 404 },
  A2P004: { name: 'consent_required', status: 403 },
  A2P005: { name: 'rate_limited', status: 429 },
  A2P006: { name: 'invalid_request', status: 400 },
  A2P007: { name: 'invalid_timestamp', status: 401 },
  A2P008: { name: 'nonce_reused', status: 401 },
  A2P009: { name: 'invalid_nonce', status: 401 },
  A2P010: { name: 'invalid_did_format', status: 400 },
  A2P011: { name: 'agent_not_registered', status: 401 },
  A2P023: { name: 'invalid_memory_type', status: 400 },
  A2P500: { name: 'internal', status: 500 },
} as const
export type ProtocolCode = keyof typeof protocolCodes

/** Why a signed request is refused has codes of its own. */
const signedCodes: Readonly<Record<SignedReason, ProtocolCode>> = {
  'Invalid DID': 'A2P010',
  'Timestamp out of window': 'A2P007',
  'Invalid nonce': 'A2P009',
  'Agent not registered': 'A2P011',
  'Invalid signature': 'A2P001',
  // The protocol's table names A2P010 for this as well, which says something else there: the time is what is wrong.
  'Request expired': 'A2P007',
  'Nonce already used': 'A2P008',
}

/** Codes that don't follow from the status of ours. */
const codes: Partial<Readonly<Record<string, ProtocolCode>>> = {
  locked: 'A2P006',
  'consent-required': 'A2P004',
  'request-reused': 'A2P006',
}

/** By the HTTP status of our code. */
const byStatus: Readonly<Record<number, ProtocolCode>> = {
  400: 'A2P006',
  401: 'A2P001',
  403: 'A2P002',
  404: 'A2P003',
  405: 'A2P006',
  409: 'A2P006',
  410: 'A2P003',
  413: 'A2P006',
  423: 'A2P006',
  426: 'A2P006',
  429: 'A2P005',
}

/** The memory types there are, as the protocol's error lists them. */
const memoryTypes = ['episodic', 'semantic', 'procedural']

export interface ProtocolError {
  readonly code: ProtocolCode
  readonly status: number
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterMs?: number
}

/** The protocol's code for one of ours. */
export function protocolCodeOf(code: ErrorCode, reason?: unknown): ProtocolCode {
  if (typeof reason === 'string' && Object.hasOwn(signedCodes, reason))
    return signedCodes[reason as SignedReason]
  return codes[code] ?? byStatus[errorTable[code].status] ?? 'A2P500'
}

/** The status of the answer: the protocol's, unless ours says more of why a request is wrong. */
function statusOf(code: ProtocolCode, known: DaybookError): number {
  const own = errorTable[known.code].status
  const isFiner = (code === 'A2P006' && [405, 413].includes(own)) || (code === 'A2P500' && own > 500)
  return isFiner ? own : protocolCodes[code].status
}

/** `error` as this door tells it. `given`: the body that was sent, to name what was wrong in it. */
export function toProtocolError(error: unknown, given?: unknown): ProtocolError {
  const known = toDaybookError(error)
  const shown = known.code === 'internal' ? new DaybookError('internal') : known
  const { reason, path } = shown.details
  if ((path === 'memory_type' || path === 'memory.memory_type') && shown.code === 'invalid-input')
    return wrongType(given, path)
  const code = protocolCodeOf(shown.code, reason)
  const { retryAfterMs, ...details } = shown.details
  return {
    code,
    status: statusOf(code, shown),
    message: shown.message,
    details: { name: protocolCodes[code].name, ...details },
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  }
}

function wrongType(given: unknown, path: string): ProtocolError {
  const { memory, memory_type } = Object(given) as { memory?: unknown; memory_type?: unknown }
  const provided = memory_type ?? (Object(memory) as { memory_type?: unknown }).memory_type ?? null
  const shown =
    typeof provided === 'string' ? provided.slice(0, 80) : provided === null ? 'null' : typeof provided
  return {
    code: 'A2P023',
    status: protocolCodes.A2P023.status,
    message: `Invalid memory type: ${shown}. Must be one of: ${memoryTypes.join(', ')}`,
    details: { name: protocolCodes.A2P023.name, path, provided: shown, valid: memoryTypes },
  }
}
