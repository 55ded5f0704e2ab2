// The shape of a perception: something an agent noticed or believes about a subject, how surely, and on what grounds.
import { z } from 'zod'
import { recordHead } from '../../shape/record-head.ts'
import { instant, instantOrDay } from '../../shape/instant.ts'
import { recordId } from '../../shape/record-id.ts'
import { name, scope, text } from './record-schema.ts'

const confidence = z.number().min(0).max(1)
const evidence = z.array(recordId).max(1000)
const content = text(200_000).min(1)

/** What `perceptions.store` takes. `evidence` holds the ids of the traces that support it. */
export const perceptionInput = z.strictObject({
  id: recordId.optional(),
  type: name.default('observation'),
  subject: name.optional(),
  content,
  confidence: confidence.default(1),
  evidence: evidence.default([]),
  /** A bare date lasts to the end of its day. */
  valid_until: instantOrDay.optional(),
  /** Changes the perception that has the id already; its version before stays in the history. */
  replace: z.boolean().default(false),
  ...scope,
})

/** What can be changed; null takes a field away. */
export const perceptionUpdates = z.strictObject({
  type: name.optional(),
  subject: name.nullable().optional(),
  content: content.optional(),
  confidence: confidence.optional(),
  evidence: evidence.optional(),
  valid_until: instantOrDay.nullable().optional(),
})

/** The body of a stored perception. */
export const perceptionBody = z.looseObject({
  type: name,
  subject: name.optional(),
  content,
  confidence,
  evidence,
  valid_until: instant.optional(),
})

export type PerceptionBody = z.output<typeof perceptionBody>

/** A perception as it comes back. */
export const perception = z.looseObject({
  ...perceptionBody.shape,
  ...recordHead,
  kind: z.literal('perception'),
})

export type Perception = z.output<typeof perception>
