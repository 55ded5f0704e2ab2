// What a row of the table is: names under which other memories' descriptions call a verb, what they send and are answered.
// Invariant: a row says nothing of who may do what. It calls capabilities of the one table, as the caller who came.
import { z } from 'zod'
import type { DaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { parseWith, type Schema } from '../../core/schema.ts'
import { pageOf } from './answer.ts'

/** What the door lends a shape: the capabilities, as its caller may call them, and the time. */
export interface ShapeCall {
  /** Runs a capability. `step` counts the calls of one shape from 0, for a door that makes each call take effect once. */
  call(id: string, input: unknown, step: number): Promise<unknown>
  /** Milliseconds since 1970 UTC. */
  now(): number
  /** Throws unless its caller may call the capability: asked before anything is said of what is wrong with an input. */
  admit?(id: string): Promise<void>
}

/** What `schema` makes of `value`; throws what is wrong with it to those alone who may call `id`. */
export async function readGiven(
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
  /** The id or tool name first, and every other name it goes by. */
  readonly names: readonly [string, ...string[]]
  readonly summary: string
  /** The capabilities that it may call: who may call them may call this. */
  readonly uses: readonly [string, ...string[]]
  readonly input: z.ZodType<Given>
  /** A member whose own members may stand beside it as well: `{ trace: { … } }` means what `{ … }` means. */
  readonly wrapped?: string
  /** What it answers, where that is not what the capability answers. */
  readonly answers?: z.ZodType
  /** Calls the capabilities, and answers in the shape's own form. */
  run(input: Given, at: ShapeCall): Promise<unknown>
  /** The fields that have another name here than in the capability: ours, theirs. Errors name theirs. */
  readonly fields?: Readonly<Record<string, string>>
  /** The answer that stands in place of an error, where the description has one; elsewhere the error is thrown. */
  readonly failure?: (error: DaybookError) => unknown
}

/** An input that was read by the row's schema. */
export type Given = Readonly<Record<string, unknown>>

interface OneCall extends Pick<
  SeedShape,
  'names' | 'summary' | 'input' | 'wrapped' | 'fields' | 'failure' | 'answers'
> {
  readonly capability: string
  /** What the capability takes; default what was given. */
  readonly to?: (given: Given) => unknown
  /** What is answered; default what the capability answers. */
  readonly from?: (answer: Given) => unknown
}

/** A row that is one call of one capability. */
export function oneCall({ capability, to, from, ...row }: OneCall): SeedShape {
  return {
    ...row,
    uses: [capability],
    async run(given, { call }) {
      const answer = await call(capability, to ? to(given) : given, 0)
      return from ? from(answer as Given) : answer
    },
  }
}

/** A row that asks for records and is answered with the bare list of them. */
export function listCall(row: Omit<OneCall, 'from'>): SeedShape {
  return oneCall({ ...row, answers: z.array(object), from: pageOf })
}

/** The input of a row: the fields it describes, and any other that the capability may know. */
export const given = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape) as unknown as z.ZodType<Given>

export const text = z.string()
export const object = z.record(z.string(), z.unknown())

/** `value` without the members `wrapped`, whose own members stand in its place; those beside it win. */
export function unwrap(value: unknown, wrapped: string | undefined): unknown {
  if (wrapped === undefined || !isJsonObject(value)) return value
  const { [wrapped]: inner, ...beside } = value
  return isJsonObject(inner) ? { ...inner, ...beside } : value
}

/** `given` with one field under another name. */
export function renamed(value: Given, from: string, to: string): Given {
  const { [from]: named, ...rest } = value
  return named === undefined ? rest : { ...rest, [to]: named }
}

/** `given` without these fields. */
export function without(value: Given, ...names: readonly string[]): Given {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}
