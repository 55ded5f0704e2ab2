// Runs the capability of a P3394 message: the seed shape of that name, or otherwise the verb of that id.
// Invariant: the request ids of all calls are derived from the message's request id, so a message sent twice takes
// effect once.
import { z } from 'zod'
import { parseTime } from '../../core/time.ts'
import { capabilityTable } from '../../engine/capability-table.ts'
import { callSeedShape, findSeedShape, type ShapeContext } from '../seed-shape/seed-shape.ts'

export const messageId = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'is not 1 to 200 visible ASCII characters')

export const messageTime = z
  .string()
  .refine((text) => parseTime(text) !== undefined, 'is not an ISO 8601 time')

/** Maximum characters of metadata as JSON. The answer repeats the metadata. */
const maxMetadataLength = 64_000
export const messageMetadata = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => JSON.stringify(value).length <= maxMetadataLength,
    `is more than ${maxMetadataLength} characters`,
  )

/** The sender and its session, as the message claims. The host decides whether it trusts them. */
export interface ClaimedSender {
  readonly agent?: string
  readonly session?: string
}

/** `now`: milliseconds since 1970 UTC. `admit`: throws if the caller may not call the verb; absent: no check. */
export interface MessageContext extends Pick<ShapeContext, 'now' | 'admit'> {
  /** Runs a verb. Calls with the same `requestId` take effect once. `from`: only of envelopes. */
  call(id: string, input: unknown, requestId: string, from?: ClaimedSender): Promise<unknown>
  /** Returns a new id for the answer. */
  newId(): string
}

interface CapabilityRequest {
  readonly capability: string
  readonly input: unknown
  readonly requestId: string
  readonly from?: ClaimedSender
}

const capabilityIds = new Set<string>(capabilityTable.map(({ id }) => id))

/** Runs the capability. A name that both a verb and a seed shape have means the shape. */
export async function runCapability(
  { capability, input, requestId, from }: CapabilityRequest,
  at: MessageContext,
): Promise<unknown> {
  const call = (id: string, value: unknown, step: number) =>
    at.call(id, value, requestIdOfStep(requestId, step), ...(from ? [from] : []))
  if (capabilityIds.has(capability) && !findSeedShape(capability))
    return (await call(capability, input, 0)) ?? null
  return callSeedShape(capability, input, {
    now: () => at.now(),
    call,
    ...(at.admit ? { admit: at.admit } : {}),
  })
}

/** Returns the request id of one call of a request. `step`: number of the call, from 0. */
export function requestIdOfStep(requestId: string, step: number): string {
  return step === 0 ? requestId : `${requestId}/${step}`
}
