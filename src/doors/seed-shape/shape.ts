// A seed shape: a verb with the names, input and answer of another memory's specification.
// Invariant: a shape has no rights of its own; it calls capabilities as the caller.
import { z } from 'zod'
import type { DaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { parseWith, type Schema } from '../../core/schema.ts'

/** Functions that the door (HTTP, MCP, P3394, command line) gives to a shape. */
export interface ShapeContext {
  /**
   * Runs a capability. `step`: number of the call within the shape's run, from 0; the request id is derived from it,
   * so that each call takes effect once.
   */
  call(id: string, input: unknown, step: number): Promise<unknown>
  /** Returns milliseconds since 1970 UTC. */
  now(): number
  /**
   * Throws if the caller may not call the capability. Called before an error of the input is revealed. Absent: no
   * check.
   */
  admit?(id: string): Promise<void>
}

/** The caller's right to a capability, and rules of the door about its input. */
export interface InputCheck {
  readonly id: string
  readonly admit: ShapeContext['admit']
  /** Throws for an input that the door refuses. */
  readonly check?: ((input: unknown) => void) | undefined
}

/**
 * Checks and parses `value` with `schema`. Throws `invalid-input`; but the error of `admit` if the caller may not call
 * `id`. Without a schema, returns `value`.
 */
export async function parseInput(
  schema: Schema | undefined,
  value: unknown,
  { id, admit, check }: InputCheck,
): Promise<unknown> {
  try {
    check?.(value)
    return schema ? parseWith(schema, value) : value
  } catch (error) {
    await admit?.(id)
    throw error
  }
}

export interface SeedShape {
  /** The id or tool name, then other names. */
  readonly names: readonly [string, ...string[]]
  readonly summary: string
  /** Capabilities that the shape may call. The caller needs the right to every capability that a run calls. */
  readonly capabilities: readonly [string, ...string[]]
  readonly input: z.ZodType<Fields>
  /** Field that may contain the input: with `trace`, `{ trace: { … } }` means `{ … }`. */
  readonly wrapperField?: string
  /** Schema of the answer. Default: the output of the capability. */
  readonly answerSchema?: z.ZodType
  /** Capabilities that get all fields of the input, also those that `input` does not name. Default: the first. */
  readonly passesTo?: readonly string[]
  /** Fields that may be in the input and have no effect, because the book sets them. */
  readonly ignored?: readonly string[]
  /** Calls capabilities, and returns the answer of the shape. */
  run(input: Fields, at: ShapeContext): Promise<unknown>
  /**
   * Fields with another name than in the capability: maps the capability's name to the shape's. Inputs and errors use
   * the shape's name.
   */
  readonly fieldNames?: Readonly<Record<string, string>>
  /** Returns the answer that replaces an error. Default: the error is thrown. */
  readonly toErrorAnswer?: (error: DaybookError) => unknown
}

/** An object of a parsed input or of an answer. */
export type Fields = Readonly<Record<string, unknown>>

interface SingleCallShape extends Pick<
  SeedShape,
  'names' | 'summary' | 'input' | 'wrapperField' | 'fieldNames' | 'toErrorAnswer' | 'answerSchema' | 'ignored'
> {
  readonly capability: string
  /** Converts the input, whose fields have the capability's names, to the capability's input. Default: no change. */
  readonly toCapabilityInput?: (input: Fields) => unknown
  /** Converts the capability's answer. Default: no change. */
  readonly toShapeAnswer?: (answer: Fields) => unknown
}

/** Creates a shape that calls one capability once. */
export function singleCallShape({
  capability,
  toCapabilityInput,
  toShapeAnswer,
  ...row
}: SingleCallShape): SeedShape {
  return {
    ...row,
    capabilities: [capability],
    async run(input, { call }) {
      const capabilityFields = toCapabilityNames(input, row.fieldNames ?? {})
      const answer = await call(
        capability,
        toCapabilityInput ? toCapabilityInput(capabilityFields) : capabilityFields,
        0,
      )
      return toShapeAnswer ? toShapeAnswer(answer as Fields) : answer
    },
  }
}

/** Creates a shape that queries records, and answers the list of records alone. */
export function listShape(row: Omit<SingleCallShape, 'toShapeAnswer'>): SeedShape {
  return singleCallShape({ ...row, answerSchema: z.array(object), toShapeAnswer: recordsOfPage })
}

/** Returns `shapes`, each with this `toErrorAnswer`. */
export function withErrorAnswer(
  toErrorAnswer: NonNullable<SeedShape['toErrorAnswer']>,
  shapes: readonly SeedShape[],
): readonly SeedShape[] {
  return shapes.map((shape) => ({ ...shape, toErrorAnswer }))
}

/** Returns the names of a verb of the KSTAR memory: manifest id, tool, method; then `more`. */
export const kstarNames = (method: string, ...more: readonly string[]): [string, ...string[]] => [
  `kstar:${method}`,
  `mcp__kstar__${method}`,
  method,
  ...more,
]

/** Schema of a shape's input: these fields, and any other field that the capability may know. */
export const inputFields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape) as unknown as z.ZodType<Fields>

/** Short names for the schemas of fields. */
export const text = z.string()
export const object = z.record(z.string(), z.unknown())

/**
 * Replaces the field `wrapped` of `value` by the fields inside it. If a name exists at both levels, the outer field
 * wins.
 */
export function unwrap(value: unknown, wrapped: string | undefined): unknown {
  if (wrapped === undefined || !isJsonObject(value)) return value
  const { [wrapped]: inner, ...outer } = value
  return isJsonObject(inner) ? { ...inner, ...outer } : value
}

/** Renames the field `from` of `value` to `to`. An undefined field is removed. */
export function renameField(value: Fields, from: string, to: string): Fields {
  const { [from]: fieldValue, ...rest } = value
  return fieldValue === undefined ? rest : { ...rest, [to]: fieldValue }
}

/** Renames the shape's fields of `value` to the capability's. `fields`: maps the capability's name to the shape's. */
export const toCapabilityNames = (value: Fields, fields: Readonly<Record<string, string>>): Fields =>
  Object.entries(fields).reduce(
    (renamedSoFar, [capabilityName, shapeName]) => renameField(renamedSoFar, shapeName, capabilityName),
    value,
  )

/** Returns `value` without the fields `names`, which need not exist. */
export function without(value: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** Returns the records of a page. */
const recordsOfPage = ({ records }: Fields): unknown => records

/** Schema of an answer of `toIdAnswer`. */
export const idAnswerSchema = (name: string) => z.looseObject({ [name]: z.string(), stored_at: z.string() })

/** Converts the answer `{ id, storedAt }` to `{ [name]: id, stored_at }`, such as `{ trace_id, stored_at }`. */
export const toIdAnswer =
  (name: string) =>
  ({ id, storedAt }: Fields): unknown => ({ [name]: id, stored_at: storedAt })
