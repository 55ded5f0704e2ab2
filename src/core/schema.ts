// What core knows of a schema: the Standard Schema interface (standardschema.dev), which zod implements.
// Core itself validates with whatever it is given and depends on no library.
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

/** Validates `value`, or throws `invalid-input` (or `code`) with the first wrong path. `at`: the path of `value` itself. */
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

const fieldsKnown = new WeakMap<Schema, ReadonlySet<string> | null>()

/** The fields that a schema of objects names; undefined where it does not say. */
export function fieldsOf(schema: Schema): ReadonlySet<string> | undefined {
  const known = fieldsKnown.get(schema)
  if (known !== undefined) return known ?? undefined
  const { properties } = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}
  const fields = properties ? new Set(Object.keys(properties)) : null
  fieldsKnown.set(schema, fields)
  return fields ?? undefined
}
