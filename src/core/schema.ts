// Validation with the Standard Schema interface (standardschema.dev), which zod implements. Core imports no library.
import { DaybookError, type ErrorCode } from './errors.ts'

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

export interface Issue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

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
  const issues = result.issues.map((issue) => ({ path: issuePath(issue, at), message: issue.message }))
  const first = issues[0] ?? { path: at, message: 'is not valid' }
  const where = first.path === '' ? 'The input' : `\`${first.path}\``
  throw new DaybookError(code, `${where}: ${first.message}.`, {
    details: { path: first.path, issues: issues.slice(0, 20) },
  })
}

function issuePath({ path = [] }: Issue, at: string): string {
  const parts = path.map((part) => String(typeof part === 'object' ? part.key : part))
  return (at === '' ? parts : [at, ...parts]).join('.')
}

const fieldCache = new WeakMap<Schema, ReadonlySet<string> | null>()

/** Returns the names of the fields of an object schema; undefined if the schema doesn't list them. */
export function fieldsOf(schema: Schema): ReadonlySet<string> | undefined {
  const cached = fieldCache.get(schema)
  if (cached !== undefined) return cached ?? undefined
  const { properties } = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}
  const fields = properties ? new Set(Object.keys(properties)) : null
  fieldCache.set(schema, fields)
  return fields ?? undefined
}
