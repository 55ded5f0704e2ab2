// A seed shape: a verb under the names, input and answer that another memory's description gives it.
// Invariant: a shape has no rights of its own. It calls capabilities as the caller.
import { z } from 'zod'
import type { DaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { parseWith, type Schema } from '../../core/schema.ts'

/** Capabilities and time, lent by the door. */
export interface ShapeCall {
  /** Runs a capability. `step` counts a shape's calls from 0, so that each takes effect once. */
  call(id: string, input: unknown, step: number): Promise<unknown>
  /** Milliseconds since 1970 UTC. */
  now(): number
  /** Throws unless the caller may call the capability. Called before errors of an input are revealed. */
  admit?(id: string): Promise<void>
}

/** Parses `value` by `schema`. Reveals its faults only to a caller who may call `id`. */
export async function readInput(
  schema: Schema,
  value: unknown,
  { id, admit }: { readonly id: string; readonly admit: ShapeCall['admit'] },
): Promise<unknown> {
  try {
    return parseWith(schema, value)
  } catch (error) {
    await admit?.(id)
    throw error
  }
}

export interface SeedShape {
  /** Id or tool name first, then other names. */
  readonly names: readonly [string, ...string[]]
  readonly summary: string
  /** Capabilities that it may call. A caller needs the right to all of them. */
  readonly uses: readonly [string, ...string[]]
  readonly input: z.ZodType<Fields>
  /** A member that may be unwrapped: `{ trace: { … } }` means `{ … }`. */
  readonly wrapped?: string
  /** The answer, if it is not the capability's. */
  readonly answers?: z.ZodType
  /** Calls capabilities, and answers in the shape's form. */
  run(input: Fields, at: ShapeCall): Promise<unknown>
  /** Fields with another name than in the capability: ours to theirs. Inputs and errors use theirs. */
  readonly fields?: Readonly<Record<string, string>>
  /** The answer in place of an error, if the description has one. Default: the error is thrown. */
  readonly failure?: (error: DaybookError) => unknown
}

/** A parsed input, or an answer. */
export type Fields = Readonly<Record<string, unknown>>

interface OneCall extends Pick<
  SeedShape,
  'names' | 'summary' | 'input' | 'wrapped' | 'fields' | 'failure' | 'answers'
> {
  readonly capability: string
  /** The capability's input, from the input with our names of `fields`. Default: that input. */
  readonly to?: (input: Fields) => unknown
  /** The answer. Default: the capability's. */
  readonly from?: (answer: Fields) => unknown
}

/** A shape with one call of one capability. */
export function oneCall({ capability, to, from, ...row }: OneCall): SeedShape {
  return {
    ...row,
    uses: [capability],
    async run(input, { call }) {
      const ours = withOurNames(input, row.fields ?? {})
      const answer = await call(capability, to ? to(ours) : ours, 0)
      return from ? from(answer as Fields) : answer
    },
  }
}

/** A shape that queries records and answers the bare list. */
export function listCall(row: Omit<OneCall, 'from'>): SeedShape {
  return oneCall({ ...row, answers: z.array(object), from: pageOf })
}

/** `shapes`, each of which answers `failure` in place of an error. */
export function withFailure(
  failure: NonNullable<SeedShape['failure']>,
  shapes: readonly SeedShape[],
): readonly SeedShape[] {
  return shapes.map((shape) => ({ ...shape, failure }))
}

/** The names of a verb of the KSTAR memory: in a manifest, as a tool, as a method; then others. */
export const kstar = (method: string, ...more: readonly string[]): [string, ...string[]] => [
  `kstar:${method}`,
  `mcp__kstar__${method}`,
  method,
  ...more,
]

/** The input of a shape: the described fields, and any other that the capability may know. */
export const fields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape) as unknown as z.ZodType<Fields>

export const text = z.string()
export const object = z.record(z.string(), z.unknown())

/** `value` with the members of its member `wrapped` in place of it; members beside it win. */
export function unwrap(value: unknown, wrapped: string | undefined): unknown {
  if (wrapped === undefined || !isJsonObject(value)) return value
  const { [wrapped]: inner, ...outer } = value
  return isJsonObject(inner) ? { ...inner, ...outer } : value
}

/** `value` with a field renamed. */
export function renamed(value: Fields, from: string, to: string): Fields {
  const { [from]: named, ...rest } = value
  return named === undefined ? rest : { ...rest, [to]: named }
}

/** `value` with our names of the fields that `fields` maps to theirs. */
export const withOurNames = (value: Fields, fields: Readonly<Record<string, string>>): Fields =>
  Object.entries(fields).reduce((one, [ours, theirs]) => renamed(one, theirs, ours), value)

/** `value` without these fields. */
export function without(value: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** The records of a page. */
const pageOf = ({ records }: Fields): unknown => records

/** The schema of `idAs`. */
export const idAnswer = (name: string) => z.looseObject({ [name]: z.string(), stored_at: z.string() })

/** `{ id }` as `{ trace_id }`, with the time of the commit. */
export const idAs =
  (name: string) =>
  ({ id, storedAt }: Fields): unknown => ({ [name]: id, stored_at: storedAt })
