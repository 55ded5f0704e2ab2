// The shape of a trace: one thing an agent did, as situation, task, action and result (STAR).
// What callers send is strict, so that a misspelt field is an error; what is stored keeps fields it does not know.
import { z } from 'zod'
import { isRecordId } from '../../core/ids.ts'
import { canonicalTime } from '../../core/time.ts'

const text = (max: number) => z.string().max(max)
const name = z.string().min(1).max(1000)
const list = z.array(text(10_000)).max(1000)
const object = z.record(z.string(), z.unknown())

/** An ISO 8601 instant; a date alone means its first moment, no offset means UTC. Comes out in canonical form. */
export const instant = z.string().transform((value, context) => {
  const canonical = canonicalTime(value)
  if (canonical !== undefined) return canonical
  context.addIssue({ code: 'custom', message: 'is not an ISO 8601 date or time' })
  return z.NEVER
})

export const recordId = z
  .string()
  .refine(isRecordId, 'is not a record id (1 to 128 letters, digits, . _ : -)')

/** A name in a record's head: well-formed Unicode, because it becomes a column. */
export const scopeName = name.refine((value) => value.isWellFormed(), 'is not well-formed Unicode')

const situation = {
  domain: name,
  actor: text(1000).optional(),
  channel: text(1000).optional(),
  context: object.default({}),
  now: instant.optional(),
}
const task = { goal: text(200_000), constraints: list.default([]) }
const action = { type: name, parameters: object.default({}), tools_used: list.default([]) }
const result = {
  success: z.boolean(),
  outcome: object.default({}),
  side_effects: z.array(z.unknown()).max(1000).default([]),
}
const metadata = {
  mode: z.enum(['interactive', 'autonomous', 'background']).default('interactive'),
  tags: list.default([]),
  linked_traces: z.array(recordId).max(1000).default([]),
}

export const traceResult = z.strictObject(result)

/** What `traces.store` takes. `timestamp` is when it happened, for traces that are stored later; default now. */
export const traceInput = z.strictObject({
  id: recordId.optional(),
  timestamp: instant.optional(),
  situation: z.strictObject(situation),
  task: z.strictObject(task),
  action: z.strictObject(action),
  result: traceResult.optional(),
  metadata: z.strictObject(metadata).prefault({}),
  agent: scopeName.optional(),
  session: scopeName.optional(),
  resource: scopeName.optional(),
})

/** The body of a stored trace. */
export const traceBody = z.looseObject({
  timestamp: instant,
  situation: z.looseObject(situation),
  task: z.looseObject(task),
  action: z.looseObject(action),
  result: z.looseObject(result).optional(),
  metadata: z.looseObject(metadata),
})

export type TraceBody = z.output<typeof traceBody>

/** A trace as it comes back. */
export const trace = z.looseObject({
  ...traceBody.shape,
  id: z.string(),
  kind: z.literal('trace'),
  created_at: z.string(),
  updated_at: z.string(),
  ver: z.number(),
  agent: z.string(),
  session: z.string().optional(),
  resource: z.string().optional(),
})

export type Trace = z.output<typeof trace>
