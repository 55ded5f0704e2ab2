// The kind `fact`: declarative memory, as data of a named schema.
import { type Kind, whenField } from '../../core/kind.ts'
import { z } from 'zod'
import { recordHead } from '../../shape/record-head.ts'
import { jsonObject, recordId } from '../../shape/field.ts'
import { name, scope, text } from './record-schema.ts'
import { validityFields, validityInput } from './validity.ts'

const factFields = {
  /** Name of the data's schema, registered or not. */
  schema: name,
  data: jsonObject,
  source: text(10_000).optional(),
  verified: z.boolean().default(false),
}

/** Input of `facts.store`. `supersedes`: id of the fact that the new one replaces. */
export const factInput = z.strictObject({
  id: recordId.optional(),
  ...factFields,
  ...validityInput,
  supersedes: recordId.optional(),
  ...scope,
})

/** Input of `facts.supersede`. The new fact has the schema of the fact `id`. */
export const supersedeInput = z.strictObject({
  id: recordId,
  data: factFields.data,
  source: factFields.source,
  verified: factFields.verified,
  ...validityInput,
  ...scope,
})

const factBody = z.looseObject({
  ...factFields,
  verified: z.boolean(),
  ...validityFields,
  /** Version of the schema against which the data was checked; absent if the schema was not registered. */
  schema_version: z.number().int().min(1).optional(),
  supersedes: recordId.optional(),
})

export type FactBody = z.output<typeof factBody>

export const storedFact = z.looseObject({ ...factBody.shape, ...recordHead, kind: z.literal('fact') })

export type Fact = z.output<typeof storedFact>

export const factKind: Kind<'fact', FactBody> = {
  name: 'fact',
  // Adds the required field to a body that another program wrote.
  complete: (body) => ({ verified: false, ...body }),
  summary:
    'Data of a named schema, with its source and the time of its validity; it may replace an earlier fact.',
  version: 1,
  schema: factBody,
  text: [whenField, 'schema', 'data', 'source'],
  names: ['data.name', 'data.title', 'data.canonical_name', 'data.aliases'],
  facets: { schema: 'schema' },
  scopedBy: 'schema',
  begins: 'valid_from',
  expires: 'valid_until',
  // On a conflict, the version of the mirror wins: it is the authority on facts.
  policy: 'remote_wins',
  links: ['supersedes'],
  guardedBy: ['supersedes'],
  cites: [{ path: 'supersedes', supersedes: true }],
}
