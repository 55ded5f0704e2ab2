// What a message of P3394 asks for, done: any verb of the table, in the shape of its description where it has one.
// Invariant: the id of a message is the id of its request, so that a message that is sent twice is done once.
import { z } from 'zod'
import { DaybookError } from '../../core/errors.ts'
import { capabilityTable } from '../../engine/capability-table.ts'
import { callSeedShape, findSeedShape, type ShapeCall } from '../seed-shape/seed-shape.ts'

export const messageId = z.string().regex(/^[\x21-\x7e]{1,200}$/, 'is not 1 to 200 visible ASCII characters')

/** Most characters of the JSON of metadata, which goes back to its sender as it came. */
const metadataLimit = 64_000
export const messageMetadata = z
  .record(z.string(), z.unknown())
  .refine(
    (value) => JSON.stringify(value).length <= metadataLimit,
    `is more than ${metadataLimit} characters`,
  )

/** Who says that it sends, and in which session: as much of it as the door believes. */
export interface MessageFrom {
  readonly agent?: string
  readonly session?: string
}

export interface MessageCall extends Pick<ShapeCall, 'now' | 'admit'> {
  /** Runs a capability so that it takes effect once for each `requestId`. */
  call(id: string, input: unknown, requestId: string, from?: MessageFrom): Promise<unknown>
  /** An id for the answer. */
  newId(): string
}

interface AskedCapability {
  readonly capability: string
  readonly input: unknown
  readonly requestId: string
  readonly from?: MessageFrom
}

const known = new Set<string>(capabilityTable.map(({ id }) => id))

export async function runCapability(
  { capability, input, requestId, from }: AskedCapability,
  at: MessageCall,
): Promise<unknown> {
  const call = (id: string, value: unknown, step: number) =>
    at.call(id, value, stepId(requestId, step), ...(from ? [from] : []))
  if (known.has(capability) && !findSeedShape(capability)) return (await call(capability, input, 0)) ?? null
  return callSeedShape(capability, input, {
    now: () => at.now(),
    call,
    ...(at.admit ? { admit: at.admit } : {}),
  })
}

/** The id of one of the calls that a request is made of. */
export function stepId(requestId: string, step: number): string {
  return step === 0 ? requestId : `${requestId}/${step}`
}

export function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path } })
}
