// JSON Schema (draft 2020-12) for the data of facts: is a schema one, and does a value keep to it.
// Invariant: a schema that was let in can be evaluated: its references are its own and lead somewhere without going in circles.
import { type Schema, Validator } from '@cfworker/json-schema'
import { DaybookError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json/path.ts'
import { metaSchema } from './meta-schema.ts'
import { findExcess } from './schema-effort.ts'
import { surveySchema } from './schema-survey.ts'

export type JsonSchema = JsonObject | boolean

/** Longest schema, in UTF-16 units of JSON text. */
export const schemaLimit = 100_000

interface Fault {
  readonly path: string
  readonly message: string
}

const draft = '2020-12'
const meta = new Validator(metaSchema as unknown as Schema, draft)

/** Throws `invalid-input` with the path below `where` unless `schema` is a JSON Schema that can be evaluated here. */
export function checkSchema(schema: JsonSchema, where: string): void {
  if (JSON.stringify(schema).length > schemaLimit) {
    throw new DaybookError('too-large', `The schema is longer than ${schemaLimit} characters.`, {
      details: { path: where, limit: schemaLimit },
    })
  }
  const faults = faultsOf(meta, schema, where)
  const found = faults.length > 0 ? faults : surveySchema(schema, where)
  if (found.length > 0) throw wrong(found, 'is not JSON Schema 2020-12')
}

/** Throws `invalid-input` with the path below `where` unless `value` keeps to `schema`, which was checked before. */
export function checkAgainst(schema: JsonSchema, value: Json, where: string, schemaName: string): void {
  if (schema === true) return
  const excess = findExcess(schema, value, where)
  if (excess) throw wrong([excess], `is too much for the schema \`${schemaName.slice(0, 80)}\``)
  const faults = faultsOf(new Validator(schema as Schema | boolean, draft), value, where)
  if (faults.length > 0) throw wrong(faults, `does not keep to the schema \`${schemaName.slice(0, 80)}\``)
}

function wrong(faults: readonly Fault[], what: string): DaybookError {
  const first = faults[0] ?? { path: '', message: '' }
  return new DaybookError('invalid-input', `\`${first.path}\` ${what}: ${first.message}`, {
    details: { path: first.path, issues: faults.slice(0, 20) },
  })
}

/** Says only that something below failed; what failed there follows in the list. */
const wrappers = new Set([
  '$ref',
  'allOf',
  'if',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'dependentSchemas',
  'items',
  'prefixItems',
  'unevaluatedItems',
])
/** After one of these, the list goes through every form that was tried: too much to tell. */
const choices = new Set(['anyOf', 'oneOf', 'contains', 'not'])
const requiredName = /^Instance does not have required property "(.*)"\.$/su

function faultsOf(validator: Validator, value: Json, where: string): Fault[] {
  const { valid, errors } = validator.validate(value)
  if (valid) return []
  const faults: Fault[] = []
  for (const { keyword, instanceLocation, error } of errors) {
    if (wrappers.has(keyword)) continue
    const path = [where, ...stepsOf(instanceLocation)]
    const missing = keyword === 'required' ? requiredName.exec(error)?.[1] : undefined
    if (missing !== undefined) faults.push({ path: [...path, missing].join('.'), message: 'It is required.' })
    else if (keyword === 'false') faults.push({ path: path.join('.'), message: 'It is not allowed here.' })
    else faults.push({ path: path.join('.'), message: error })
    if (choices.has(keyword)) break
  }
  // A wrapper alone still is a fault.
  return faults.length > 0 ? faults : [{ path: where, message: errors[0]?.error ?? 'It is not valid.' }]
}

/** The steps of a JSON pointer in a URI fragment. */
function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => decodeStep(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
