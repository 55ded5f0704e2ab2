// Answers of the a2p protocol: `{ success, data, meta }` or `{ success, error, meta }`, headers for version, request
// id and rate; the protocol's error codes.
// Invariant: each error code of Daybook maps to a code of the protocol; an answer contains no details of an internal
// error.
import { idPrefixes } from '../../../core/text/name-id.ts'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { defined } from '../../../core/defined.ts'
import { toDaybookError, DaybookError, type ErrorCode, errorTable } from '../../../core/errors.ts'
import { formatTime } from '../../../core/time.ts'
import { type RateState, parseAgentRate, fullRateState } from '../../../edge/agent/agent-gate.ts'
import type { EdgeEnv } from '../../../edge/edge-env.ts'
import { logFault } from '../request/problem.ts'
import type { A2pReply } from './route.ts'
import type { SignedRequestFault } from '../../../trust/agent/signed-request.ts'

export interface A2pTypes {
  Bindings: EdgeEnv
  Variables: {
    requestId: string
    /** The caller's rate. Undefined: not known yet. */
    rate: RateState | undefined
    /** The body, for the error of a wrong memory type. Undefined: not parsed yet. */
    parsedBody: unknown
  }
}
export type A2pContext = Context<A2pTypes>

/** Supported versions of the protocol. The first is the default. */
export const supportedVersions = ['0.1.0', '1.0'] as const
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const requestIdPattern = /^[\x21-\x7e]{1,200}$/

/** Returns the id in the header `X-Request-ID`. Undefined: no id was sent. Null: the id is invalid. */
export function sentRequestId(c: A2pContext): string | undefined | null {
  const id = c.req.header('x-request-id')
  if (id === undefined || requestIdPattern.test(id)) return id
  return null
}

/** Creates a request id: `req_` and 16 random letters and digits. */
export function newRequestId(): string {
  let id: string = idPrefixes.access_request
  while (id.length < 20) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1))
    // Skip higher bytes: they would make some characters more frequent.
    if (byte < alphabet.length * 4) id += alphabet[byte % alphabet.length]
  }
  return id
}

/** Sets the headers of every answer. */
function setHeaders(c: A2pContext): void {
  const requestedVersion = c.req.header('a2p-version')
  c.header('A2P-Version', supportedVersions.find((one) => one === requestedVersion) ?? supportedVersions[0])
  c.header('A2P-Version-Supported', supportedVersions.join(', '))
  c.header('X-Request-Id', c.get('requestId'))
  c.header('Cache-Control', 'no-store')
  // A caller whose rate is unknown gets the numbers of an unused one. `resetS`: Unix seconds.
  const { limit, remaining, resetS } =
    c.get('rate') ?? fullRateState(parseAgentRate(c.env.DAYBOOK_A2P_RATE), Date.now())
  c.header('X-RateLimit-Limit', String(limit))
  c.header('X-RateLimit-Remaining', String(remaining))
  c.header('X-RateLimit-Reset', String(resetS))
}

const metaOf = (c: A2pContext) => ({ requestId: c.get('requestId'), timestamp: formatTime(Date.now()) })

export function successResponse(c: A2pContext, { data, status = 200, meta = {} }: A2pReply): Response {
  setHeaders(c)
  return c.json({ success: true, data, meta: { ...metaOf(c), ...meta } } as object, status)
}

export function errorResponse(c: A2pContext, error: unknown): Response {
  const fault = toDaybookError(error)
  if (fault.code === 'internal' || fault.code === 'engine-died') logFault(fault)
  const { code, status, message, details, retryAfterMs } = toProtocolError(fault, c.get('parsedBody'))
  setHeaders(c)
  const retryAfter = retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1000))
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter))
  if (status === 401) c.header('WWW-Authenticate', 'A2P-Signature, Bearer realm="daybook"')
  const body = { code, message, details, ...defined({ retryAfter }) }
  return c.json({ success: false, error: body, meta: metaOf(c) } as object, status as ContentfulStatusCode)
}

/** The protocol's codes that Daybook uses (specification, "Error Codes"), with their HTTP statuses. */
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
type ProtocolCode = keyof typeof protocolCodes

/** The protocol's codes by the reason of a refused signature. */
const codeBySignedReason: Readonly<Record<SignedRequestFault, ProtocolCode>> = {
  'Invalid DID': 'A2P010',
  'Timestamp out of window': 'A2P007',
  'Invalid nonce': 'A2P009',
  'Agent not registered': 'A2P011',
  'Invalid signature': 'A2P001',
  // The protocol's table lists A2P010 here, the code of an invalid DID; but the fault is the time.
  'Request expired': 'A2P007',
  'Nonce already used': 'A2P008',
}

/** Exceptions to `codeByStatus`, by Daybook's code. */
const codeByErrorCode: Partial<Readonly<Record<string, ProtocolCode>>> = {
  locked: 'A2P006',
  'consent-required': 'A2P004',
  'request-reused': 'A2P006',
}

/** The protocol's code by the HTTP status of Daybook's code. */
const codeByStatus: Readonly<Record<number, ProtocolCode>> = {
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

/** Memory types in the order of the protocol's error message. */
const memoryTypes = ['episodic', 'semantic', 'procedural']

interface ProtocolError {
  readonly code: ProtocolCode
  readonly status: number
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
  readonly retryAfterMs?: number
}

/** Returns the protocol's code of a Daybook code. `reason`: the reason of a refused signature; wins over `code`. */
export function protocolCodeOf(code: ErrorCode, reason?: unknown): ProtocolCode {
  if (typeof reason === 'string' && Object.hasOwn(codeBySignedReason, reason))
    return codeBySignedReason[reason as SignedRequestFault]
  return codeByErrorCode[code] ?? codeByStatus[errorTable[code].status] ?? 'A2P500'
}

/** Returns the HTTP status of an error: the protocol's, unless Daybook's is more specific (405, 413, above 500). */
function statusOf(code: ProtocolCode, error: DaybookError): number {
  const daybookStatus = errorTable[error.code].status
  const isMoreSpecific =
    (code === 'A2P006' && [405, 413].includes(daybookStatus)) || (code === 'A2P500' && daybookStatus > 500)
  return isMoreSpecific ? daybookStatus : protocolCodes[code].status
}

/** Converts an error to the protocol's form. `requestBody`: to quote a wrong memory type. */
export function toProtocolError(error: unknown, requestBody?: unknown): ProtocolError {
  const fault = toDaybookError(error)
  const publicError = fault.code === 'internal' ? new DaybookError('internal') : fault
  const { reason, path } = publicError.details
  if ((path === 'memory_type' || path === 'memory.memory_type') && publicError.code === 'invalid-input')
    return wrongMemoryType(requestBody, path)
  const code = protocolCodeOf(publicError.code, reason)
  const { retryAfterMs, ...details } = publicError.details
  return {
    code,
    status: statusOf(code, publicError),
    message: publicError.message,
    details: { name: protocolCodes[code].name, ...details },
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  }
}

function wrongMemoryType(requestBody: unknown, path: string): ProtocolError {
  const { memory, memory_type } = Object(requestBody) as { memory?: unknown; memory_type?: unknown }
  const provided = memory_type ?? (Object(memory) as { memory_type?: unknown }).memory_type ?? null
  const providedText =
    typeof provided === 'string' ? provided.slice(0, 80) : provided === null ? 'null' : typeof provided
  return {
    code: 'A2P023',
    status: protocolCodes.A2P023.status,
    message: `Invalid memory type: ${providedText}. Must be one of: ${memoryTypes.join(', ')}`,
    details: { name: protocolCodes.A2P023.name, path, provided: providedText, valid: memoryTypes },
  }
}
