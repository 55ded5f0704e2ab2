// Runs the capability of a P3394 message: any verb of the table, in the shape of its description if it has one.
// Invariant: the message's id is the request id, so a message that is sent twice takes effect once.
import { z } from 'zod'
import { DaybookError } from '../../core/errors.ts'
import { capabilityTable } from '../../engine/capability-table.ts'
import { callSeedShape, findSeedShape, type ShapeCall } from '../seed-shape/seed-shape.ts'

export const messageId = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'is not 1 to 200 visible ASCII characters')

/** Limit of metadata, in characters of JSON. The answer repeats it. */
const metadataLimit = 64_000
export const messageMetadata = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => JSON.stringify(value).length <= metadataLimit,
    `is more than ${metadataLimit} characters`,
  )

/** The sender and its session, as the message claims. The door decides what it trusts. */
export interface MessageFrom {
  readonly agent?: string
  readonly session?: string
}

export interface MessageCall extends Pick<ShapeCall, 'now' | 'admit'> {
  /** Runs a capability so that it takes effect once for each `requestId`. */
  call(id: string, input: unknown, requestId: string, from?: MessageFrom): Promise<unknown>
  /** A new id for the answer. */
  newId(): string
}

interface CapabilityRequest {
  readonly capability: string
  readonly input: unknown
  readonly requestId: string
  readonly from?: MessageFrom
}

const ownIds = new Set<string>(capabilityTable.map(({ id }) => id))

export async function runCapability(
  { capability, input, requestId, from }: CapabilityRequest,
  at: MessageCall,
): Promise<unknown> {
  const call = (id: string, value: unknown, step: number) =>
    at.call(id, value, stepId(requestId, step), ...(from ? [from] : []))
  if (ownIds.has(capability) && !findSeedShape(capability)) return (await call(capability, input, 0)) ?? null
  return callSeedShape(capability, input, {
    now: () => at.now(),
    call,
    ...(at.admit ? { admit: at.admit } : {}),
  })
}

/** The request id of one step of a request. */
export function stepId(requestId: string, step: number): string {
  return step === 0 ? requestId : `${requestId}/${step}`
}

export function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })
}
