// Validation with the Standard Schema interface (standardschema.dev), which zod implements. Core imports no library.
import { defined } from './defined.ts'
import { DaybookError, type ErrorCode, faultText } from './errors.ts'
import { nearName } from './option-check.ts'
import { allowedBy, type Issue, notAllowed, plainMessage, valueAt } from './plain-issue.ts'

export interface Schema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?: {
      readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown>
      readonly output: (options: { target: 'draft-2020-12' }) => Record<string, unknown>
    }
  }
}

export type Validation<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: ReadonlyArray<Issue> }

type Types<S> = S extends { readonly '~standard': { readonly types?: infer T } } ? NonNullable<T> : never
export type InputOf<S> = Types<S> extends { readonly input: infer I } ? I : never
export type OutputOf<S> = Types<S> extends { readonly output: infer O } ? O : never

/**
 * Returns the validated `value`. Throws `invalid-input` (or `code`) with the first wrong path. `at`: path of `value`.
 */
export function parseWith<S extends Schema>(
  schema: S,
  value: unknown,
  code: ErrorCode = 'invalid-input',
  at: string = '',
): OutputOf<S> {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) throw new DaybookError('internal', 'A schema answered asynchronously.')
  if (result.issues === undefined) return result.value as OutputOf<S>
  const faults = result.issues.flatMap((issue) => faultsOf(schema, issue, { value, at }))
  const issues = faults.map(({ path, message }) => ({ path, message }))
  const first = faults[0] ?? { path: at, message: 'is not valid' }
  throw new DaybookError(code, faultText(first.path, first.message), {
    details: { path: first.path, issues: issues.slice(0, 20), ...defined({ meant: first.meant }) },
  })
}

/** The parsed value, and its path. */
interface Root {
  readonly value: unknown
  readonly at: string
}

interface Fault {
  readonly path: string
  readonly message: string
  /** The name of the field that the caller probably meant. */
  readonly meant?: string | undefined
}

/**
 * Returns one fault for each unknown field, with its path; for a union the faults of the variant that the value is meant
 * to be; for other issues the issue itself.
 */
function faultsOf(schema: Schema, issue: Issue, root: Root): readonly Fault[] {
  const { path = [], code, keys, errors = [] } = issue
  const { at } = root
  const expected = errors.map(expectedOf)
  const [variant, other] = errors.filter((_, i) => expected[i] === undefined)
  if (variant && !other)
    return variant.flatMap((one) => faultsOf(schema, { ...one, path: [...path, ...(one.path ?? [])] }, root))
  const parts = path.map((part) => String(typeof part === 'object' ? part.key : part))
  const whole = at === '' ? parts : [at, ...parts]
  if (code !== 'unrecognized_keys' || keys === undefined) {
    const value = valueAt(root.value, parts)
    const allowed = variant ? [] : expected.flatMap((words) => words ?? [])
    const message = allowed.length > 0 ? notAllowed(allowed, value) : plainMessage(issue, value)
    return [{ path: whole.join('.'), message }]
  }
  const names = fieldsAt(inputShape(schema), parts)
  return keys.map((key) => {
    const meant = nearName(key, names)
    const hint = meant === undefined ? '' : `. Did you mean \`${meant}\`?`
    return { path: [...whole, key].join('.'), message: `Unknown field${hint}`, meant }
  })
}

/** Returns the types or values that a variant of a union expects; undefined if the value has its type. */
function expectedOf(variant: readonly Issue[]): readonly string[] | undefined {
  const fault = variant.find(({ path, expected, values }) => !path?.length && (expected ?? values))
  return fault && allowedBy(fault)
}

/** The used part of a JSON Schema. */
interface Shape {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Shape>>
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
}

const inputShape = (schema: Schema): Shape =>
  schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}

/** Returns the names of the fields of the object at `path`; none if the schema does not list them. */
function fieldsAt(root: Shape, path: readonly string[]): string[] {
  let shapes = variantsOf(root, root)
  for (const part of path)
    shapes = shapes.flatMap(({ properties, additionalProperties: others, items }) => {
      const own = properties && Object.hasOwn(properties, part) ? properties[part] : undefined
      const next = own ?? items ?? (typeof others === 'object' ? others : undefined)
      return next ? variantsOf(next, root) : []
    })
  return [...new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)))]
}

/** Returns the shape and its variants, without references. */
function variantsOf(shape: Shape, root: Shape, depth = 0): Shape[] {
  if (depth > 8) return []
  const { $ref, anyOf = [], oneOf = [], allOf = [] } = shape
  const referred = $ref === '#' ? root : root.$defs?.[$ref?.replace('#/$defs/', '') ?? '']
  const inner = [...anyOf, ...oneOf, ...allOf, ...(referred ? [referred] : [])]
  return [shape, ...inner.flatMap((one) => variantsOf(one, root, depth + 1))]
}

const fieldCache = new WeakMap<Schema, ReadonlySet<string> | null>()

/** Returns the names of the fields of an object schema; undefined if the schema doesn't list them. */
export function fieldsOf(schema: Schema): ReadonlySet<string> | undefined {
  const cached = fieldCache.get(schema)
  if (cached !== undefined) return cached ?? undefined
  const { properties } = inputShape(schema)
  const fields = properties ? new Set(Object.keys(properties)) : null
  fieldCache.set(schema, fields)
  return fields ?? undefined
}
