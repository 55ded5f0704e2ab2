// The shapes of what is registered: schemas of facts, categories of traces, types of tokens. They are records, so they
// sync and export like everything else.
import { z } from 'zod'
import { recordHead } from '../../../shape/record-head.ts'
import { name, text } from '../record-schema.ts'

const jsonSchema = z.union([z.record(z.string(), z.unknown()), z.boolean()])
const names = z.array(name).max(200)
const description = text(10_000).optional()

export const schemaInput = z.strictObject({ name, schema: jsonSchema, description })
export const schemaBody = z.looseObject({
  name,
  schema: jsonSchema,
  description,
  /** Counts the schemas that were registered under this name, from 1. */
  version: z.number().int().min(1),
  /** The schemas before, oldest first: facts say by which version they were checked. */
  earlier: z.array(z.looseObject({ version: z.number().int().min(1), schema: jsonSchema })),
})

export const categoryInput = z.strictObject({
  /** The `action.type` of the traces it is about. */
  name,
  /** Their `situation.domain`. */
  domain: name,
  required_fields: names,
  description,
})
export const categoryBody = z.looseObject({ ...categoryInput.shape })

/** Segments parted by `:` or `.`: words, `{parameters}`, `*` for any one segment, `**` at the end for all the rest. */
const scopePattern = z
  .string()
  .max(1000)
  .regex(
    /^(?:(?:[\w-]+|\{\w+\}|\*)[:.])*(?:[\w-]+|\{\w+\}|\*\*?)$/u,
    'is not a scope pattern such as course:{course_id}',
  )

export const tokenTypeInput = z.strictObject({
  name,
  description: text(10_000).default(''),
  scope_pattern: scopePattern,
  required_permissions: names.default([]),
})
export const tokenTypeBody = z.looseObject({ ...tokenTypeInput.shape, description: text(10_000) })

export const factSchema = z.looseObject({
  ...schemaBody.shape,
  ...recordHead,
  kind: z.literal('fact_schema'),
})
export const traceCategory = z.looseObject({
  ...categoryBody.shape,
  ...recordHead,
  kind: z.literal('trace_category'),
})
export const tokenType = z.looseObject({
  ...tokenTypeBody.shape,
  ...recordHead,
  kind: z.literal('token_type'),
})

export type FactSchema = z.output<typeof factSchema>
export type TraceCategory = z.output<typeof traceCategory>
export type TokenType = z.output<typeof tokenType>
