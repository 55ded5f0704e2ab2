// The shape of a fact: data of a named schema, where it comes from, whether it was confirmed, which fact it replaces.
import { z } from 'zod'
import { recordHead } from '../../shape/record-head.ts'
import { recordId } from '../../shape/record-id.ts'
import { jsonObject, name, scope, text } from './record-schema.ts'

const fact = {
  schema: name,
  data: jsonObject,
  source: text(10_000).optional(),
  verified: z.boolean().default(false),
}

/** What `facts.store` takes. `supersedes` is the id of the fact in whose place this one stands. */
export const factInput = z.strictObject({
  id: recordId.optional(),
  ...fact,
  supersedes: recordId.optional(),
  ...scope,
})

/** What `facts.supersede` takes: the schema is that of the fact `id`. */
export const supersedeInput = z.strictObject({
  id: recordId,
  data: fact.data,
  source: fact.source,
  verified: fact.verified,
  ...scope,
})

/** The body of a stored fact. */
export const factBody = z.looseObject({
  ...fact,
  verified: z.boolean(),
  /** The version of the schema that the data was checked against; absent while the schema was not registered. */
  schema_version: z.number().int().min(1).optional(),
  supersedes: recordId.optional(),
})

export type FactBody = z.output<typeof factBody>

/** A fact as it comes back. */
export const storedFact = z.looseObject({ ...factBody.shape, ...recordHead, kind: z.literal('fact') })

export type Fact = z.output<typeof storedFact>
