// JSON Schema (draft 2020-12) for the data of facts: checks a schema, and checks a value against a schema.
// Invariant: every accepted schema can be evaluated: its references stay inside the schema, resolve, and form no
// circle.
import { dereference, type Schema, Validator } from '@cfworker/json-schema'
import { DaybookError } from '../../../core/errors.ts'
import { valueAt } from '../../../core/plain-issue.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { metaSchema } from './meta-schema.ts'
import { plainFault } from './plain-fault.ts'
import { findExcessiveWork } from './schema-effort.ts'
import { cachedPatternCost } from './pattern-cost.ts'
import { indexSchema, type SchemaNode } from './schema-index.ts'

interface Fault {
  readonly path: string
  readonly message: string
}

/**
 * Keywords of other drafts, which 2020-12 ignores, and keywords that the validator ignores. A schema with one of them is
 * an error: ignoring or applying the keyword would change the meaning.
 */
const unsupportedKeywords = [
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  'dependencies',
  'additionalItems',
]

/**
 * Finds the faults of a schema that fits the meta-schema: unresolved or circular references, unsupported
 * keywords, a nested `$id`, and invalid or slow patterns.
 */
function surveySchema(schema: Json, where: string): Fault[] {
  const { nodes, unresolved } = indexSchema(schema, where)
  const faults = nodes.flatMap(({ schema: schemaObject, path }) => [
    ...unsupportedKeywords
      .filter((keyword) => keyword in schemaObject)
      .map((keyword) => ({ path: `${path}.${keyword}`, message: `\`${keyword}\` is not supported.` })),
    ...(schemaObject['$id'] !== undefined && path !== where
      ? [{ path: `${path}.$id`, message: 'Only the whole schema may have an `$id`.' }]
      : []),
    ...patternFaults(schemaObject, path),
  ])
  for (const { path, schema: schemaObject } of unresolved) {
    const ref = String(schemaObject['$ref']).slice(0, 80)
    faults.push({ path: `${path}.$ref`, message: `\`${ref}\` is not a place in this schema.` })
  }
  return faults.length > 0 ? faults : circleFaults(nodes)
}

function patternFaults({ pattern, patternProperties }: JsonObject, path: string): Fault[] {
  const keys = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
  const patterns = keys.map((key) => [key, `${path}.patternProperties.${key}`] as const)
  const allPatterns =
    typeof pattern === 'string' ? [...patterns, [pattern, `${path}.pattern`] as const] : patterns
  return allPatterns.flatMap(([source, patternPath]) => {
    const cost = cachedPatternCost(source)
    return 'fault' in cost ? [{ path: patternPath, message: cost.fault }] : []
  })
}

/** Finds references that return to their origin without entering the value: their evaluation would never end. */
function circleFaults(nodes: readonly SchemaNode[]): Fault[] {
  // `open`: on the path of the visit now, so reaching the node again is a circle.
  const visitState = new Map<SchemaNode, 'open' | 'done'>()
  const faults: Fault[] = []
  const visit = (node: SchemaNode): void => {
    if (visitState.get(node) === 'done') return
    if (visitState.get(node) === 'open') {
      faults.push({ path: node.path, message: 'It refers to itself in a circle.' })
      return
    }
    visitState.set(node, 'open')
    node.inPlace.forEach(visit)
    visitState.set(node, 'done')
  }
  nodes.forEach(visit)
  return faults
}

export type JsonSchema = JsonObject | boolean

/** Most UTF-16 units of a schema as JSON text. */
const maxSchemaLength = 100_000

const draft = '2020-12'
const metaValidator = new Validator(metaSchema as unknown as Schema, draft)

/**
 * Throws `invalid-input`, with the path below `where`, unless `schema` is a JSON Schema that can be evaluated here.
 * Throws `too-large` for a schema over `maxSchemaLength`.
 */
export function assertSchema(schema: JsonSchema, where: string): void {
  const text = JSON.stringify(schema)
  if (text.length > maxSchemaLength) {
    throw new DaybookError('too-large', `The schema is longer than ${maxSchemaLength} characters.`, {
      details: { path: where, limitCharacters: maxSchemaLength },
    })
  }
  const faults = withNameFault(schema, where, () => validationFaults(metaValidator, schema, where))
  const allFaults =
    faults.length > 0 ? faults : [...surveySchema(schema, where), ...readingFaults(text, where)]
  if (allFaults.length > 0) throw schemaError(allFaults, 'is not JSON Schema 2020-12')
}

/** The faults of a schema, given as JSON text, that the validator can't read. */
function readingFaults(text: string, where: string): Fault[] {
  // A copy, because the validator adds properties to a schema that it reads.
  const copy = JSON.parse(text) as JsonSchema
  return withNameFault(copy, where, () => {
    try {
      dereference(copy as Schema | boolean)
      return []
    } catch (error) {
      if (error instanceof URIError) throw error
      return [{ path: where, message: "The validator can't read it." }]
    }
  })
}

/**
 * Returns the faults that `find` returns. The validator throws `URIError` for a property name with half a surrogate pair:
 * then returns the fault of such a name in `value`.
 */
function withNameFault(value: Json, where: string, find: () => Fault[]): Fault[] {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    // Without such a name in the value, the schema has it: earlier versions accepted that.
    return [{ path: illFormedNamePath(value, where) ?? where, message: 'A name is not well-formed Unicode.' }]
  }
}

/** The dotted path of the first property whose name is not well-formed Unicode. */
function illFormedNamePath(value: Json, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const memberPath = `${path}.${name}`
    const found = name.isWellFormed() ? illFormedNamePath(member, memberPath) : memberPath
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Throws `invalid-input`, with the path below `where`, unless `value` matches `schema`. Pass only a schema that
 * `assertSchema` accepted.
 */
export function assertMatchesSchema(
  schema: JsonSchema,
  value: Json,
  where: string,
  schemaName: string,
): void {
  if (schema === true) return
  const excess = findExcessiveWork(schema, value, where)
  if (excess)
    throw schemaError([excess], `takes too long to check against the schema \`${schemaName.slice(0, 80)}\``)
  const faults = withNameFault(value, where, () =>
    validationFaults(new Validator(schema as Schema | boolean, draft), value, where),
  )
  if (faults.length > 0) throw schemaError(faults, `does not match the schema \`${schemaName.slice(0, 80)}\``)
}

function schemaError(faults: readonly Fault[], reason: string): DaybookError {
  const first = faults[0] ?? { path: '', message: '' }
  return new DaybookError('invalid-input', `\`${first.path}\` ${reason}: ${first.message}`, {
    details: { path: first.path, issues: faults.slice(0, 20) },
  })
}

/** Keywords that only report that something below them failed; the cause follows in the list of errors. */
const wrapperKeywords = new Set([
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
/**
 * After an error of one of these keywords, the list contains every alternative that was tried: too much to report.
 */
const choiceKeywords = new Set(['anyOf', 'oneOf', 'contains', 'not'])
const requiredPropertyPattern = /^Instance does not have required property "(.*)"\.$/su

/**
 * The faults of `value` that explain a failure, with dotted paths below `where`; empty if the value is valid.
 */
function validationFaults(validator: Validator, value: Json, where: string): Fault[] {
  const { valid, errors } = validator.validate(value)
  if (valid) return []
  const faults: Fault[] = []
  for (const unit of errors) {
    const { keyword, instanceLocation, error } = unit
    if (wrapperKeywords.has(keyword)) continue
    const steps = parsePointer(instanceLocation)
    const path = [where, ...steps]
    const missing = keyword === 'required' ? requiredPropertyPattern.exec(error)?.[1] : undefined
    if (missing !== undefined) faults.push({ path: [...path, missing].join('.'), message: 'It is required.' })
    else faults.push({ path: path.join('.'), message: plainFault(unit, valueAt(value, steps) as Json) })
    if (choiceKeywords.has(keyword)) break
  }
  // The list may have only wrappers: then the cause is unknown, and the fault is of the whole value.
  return faults.length > 0 ? faults : [{ path: where, message: 'It is not valid.' }]
}

/** Returns the steps of a JSON pointer in a URI fragment. */
function parsePointer(pointer: string): string[] {
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
