// Registered definitions: schemas of facts, categories of traces, types of tokens. Shapes, kinds, and lookup by name;
// each id derives from the name.
// Invariant: a rule from a later version is never skipped: a write that it governs fails.
import type { RecordWriter } from '../../core/capability/port/record-port.ts'
import { nameId } from '../../core/text/name-id.ts'
import { needUnderstood } from '../../core/capability/understood.ts'
import type { JsonSchema } from './json-schema/json-schema.ts'
import { z } from 'zod'
import { recordHead } from '../../shape/record-head.ts'
import { name, text } from './record-schema.ts'
import type { Kind } from '../../core/kind.ts'
import { DaybookError, invalidInput } from '../../core/errors.ts'
import { checkPath, readPath } from '../../core/json/path.ts'
import type { TraceBody } from './trace-kind.ts'

const jsonSchema = z.union([z.record(z.string(), z.unknown()), z.boolean()])
const names = z.array(name).max(200)
const description = text(10_000).optional()

export const schemaInput = z.strictObject({ name, schema: jsonSchema, description })
const schemaBody = z.looseObject({
  name,
  schema: jsonSchema,
  description,
  /** Number of the schema among those registered under this name, from 1. */
  version: z.number().int().min(1),
  /** Earlier schemas, oldest first. A fact names the version of the schema against which it was checked. */
  earlier: z.array(z.looseObject({ version: z.number().int().min(1), schema: jsonSchema })),
})

export const categoryInput = z.strictObject({
  /** `action.type` of the traces to which the category applies. */
  name,
  /** `situation.domain` of these traces. */
  domain: name,
  /** Names, or dotted paths; `pathsOfField` says which places of a trace they mean. */
  required_fields: names,
  description,
})
const categoryBody = z.looseObject({ ...categoryInput.shape })

/**
 * Segments separated by `:` or `.`: words, `{parameters}`, `*` for one segment, `**` at the end for all the rest.
 */
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
const tokenTypeBody = z.looseObject({ ...tokenTypeInput.shape, description: text(10_000) })

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

/**
 * Fields of all three kinds. `timeless`: every range of dates includes them. `guests: 'read'`: a guest never
 * changes them.
 */
const definitionDefaults = {
  version: 1,
  text: [],
  // All who share a book share its definitions: on a conflict, the version of the mirror wins.
  policy: 'remote_wins',
  timeless: true,
  recallable: false,
  guests: 'read',
} as const

const schemaKind: Kind<'fact_schema', z.output<typeof schemaBody>> = {
  ...definitionDefaults,
  name: 'fact_schema',
  idPrefix: 'fact_schema::',
  summary: 'The JSON Schema that facts of a name keep to, in all its versions.',
  schema: schemaBody,
  facets: { name: 'name' },
  scopedBy: 'name',
  scopedAs: 'fact',
}

const categoryKind: Kind<'trace_category', z.output<typeof categoryBody>> = {
  ...definitionDefaults,
  name: 'trace_category',
  idPrefix: 'trace_category::',
  plural: 'trace_categories',
  summary: 'The fields that traces of one action in one domain must have.',
  schema: categoryBody,
  facets: { name: 'name', domain: 'domain' },
  scopedBy: 'domain',
  scopedAs: 'trace',
}

const tokenTypeKind: Kind<'token_type', z.output<typeof tokenTypeBody>> = {
  ...definitionDefaults,
  name: 'token_type',
  idPrefix: 'token_type::',
  summary: 'A type of control token: the pattern of its scope and the permissions it needs.',
  schema: tokenTypeBody,
  facets: { name: 'name' },
  scopedBy: 'name',
}

export const definitionKinds = [schemaKind, categoryKind, tokenTypeKind] as const

/** The records, or their `rules`, which also find definitions that the caller can't see. */
type Records = Pick<RecordWriter, 'get'>

export const schemaId = (name: string): string => nameId('fact_schema', name)
export const categoryId = (domain: string, name: string): string => nameId('trace_category', domain, name)
export const tokenTypeId = (name: string): string => nameId('token_type', name)

/** The registered schema `name`; undefined without one. Throws `record-newer` if a later Daybook wrote it. */
export function findSchema(
  records: Records,
  name: string,
): (FactSchema & { readonly schema: JsonSchema }) | undefined {
  const record = records.get(schemaId(name))
  assertUnderstood(record, 'fact_schema')
  return record?.kind === 'fact_schema'
    ? (record as unknown as FactSchema & { schema: JsonSchema })
    : undefined
}

/** The registered category for traces of the action `name` in `domain`; undefined without one. */
export function findCategory(records: Records, domain: string, name: string): TraceCategory | undefined {
  const record = records.get(categoryId(domain, name))
  assertUnderstood(record, 'trace_category')
  return record?.kind === 'trace_category' ? (record as unknown as TraceCategory) : undefined
}

/** Throws `record-newer` if `found` is a definition of the kind `name` whose body only a later Daybook knows. */
function assertUnderstood(
  found: { readonly id: string; readonly kind: string } | undefined,
  name: string,
): void {
  const kind = definitionKinds.find((definitionKind) => definitionKind.name === name)
  if (kind && found?.kind === name) needUnderstood(kind, found)
}

const tracePartNames: ReadonlySet<string> = new Set(['situation', 'task', 'action', 'result', 'metadata'])

/** Throws `invalid-input` unless each field is a name or a dotted path. */
export function assertRequiredFields(fields: readonly string[]): void {
  fields.forEach((field, i) => {
    const path = `required_fields.${i}`
    try {
      checkPath(field, path)
    } catch (cause) {
      throw invalidInput(path, `is not a name or a dotted path`, { cause })
    }
  })
}

/**
 * Paths at which a trace may contain `field`, the usual one first. A path that begins with a part of the trace
 * means exactly that path. Any other field is in `action.parameters` or `result.outcome`.
 */
function pathsOfField(field: string): readonly string[] {
  const [first = ''] = field.split('.')
  const isFullPath = first !== field && tracePartNames.has(first)
  return isFullPath ? [field] : [`action.parameters.${field}`, `result.outcome.${field}`]
}

/**
 * Throws `invalid-input` if `trace` lacks a required field; the error names all of them. Checks successful traces
 * only: a run that failed or has not ended may lack fields. `pathPrefix`: prefix of the paths in the error.
 */
export function assertCategory(
  category: TraceCategory,
  trace: Pick<TraceBody, 'result'>,
  pathPrefix: string,
): void {
  if (trace.result?.success !== true) return
  const missing = category.required_fields
    .map(pathsOfField)
    .filter((paths) => !paths.some((fieldPath) => readPath(trace, fieldPath) !== undefined))
  const [first] = missing
  if (!first) return
  const [path = '', ...others] = first.map((fieldPath) => `${pathPrefix}${fieldPath}`)
  const alternatives = others.length > 0 ? ` (or \`${others.join('`, `')}\`)` : ''
  const subject = `\`${category.name.slice(0, 80)}\` in \`${category.domain.slice(0, 80)}\``
  throw new DaybookError('invalid-input', `\`${path}\`${alternatives} is required of traces of ${subject}.`, {
    details: { path, missing: missing.map(([fieldPath = '']) => `${pathPrefix}${fieldPath}`) },
  })
}
