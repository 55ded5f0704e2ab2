// The shape of a trace: one thing an agent did, as situation, task, action and result (STAR).
// What callers send is strict, so that a misspelt field is an error; what is stored keeps fields it does not know.
import { z } from 'zod'
import { recordHead } from '../../shape/record-head.ts'
import { instant, instantOrDay } from '../../shape/instant.ts'
import { recordId } from '../../shape/record-id.ts'
import { list, name, scope, text } from './record-schema.ts'

const object = z.record(z.string(), z.unknown())

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

/**
 * What `traces.store` takes. `timestamp` is when it happened, for traces that are stored later; default now. A bare date
 * stands for the beginning of its day.
 */
export const traceInput = z.strictObject({
  id: recordId.optional(),
  timestamp: instantOrDay.optional(),
  situation: z.strictObject(situation),
  task: z.strictObject(task),
  action: z.strictObject(action),
  result: traceResult.optional(),
  metadata: z.strictObject(metadata).prefault({}),
  /** Changes the trace that has the id already; its version before stays in the history. */
  replace: z.boolean().default(false),
  ...scope,
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
  ...recordHead,
  kind: z.literal('trace'),
})

export type Trace = z.output<typeof trace>
