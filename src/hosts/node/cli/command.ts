// A command of the command line: what it takes, what it says about itself, what it does.
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Daybook } from '../../../book/daybook.ts'
import type { PoolCarrier } from '../../../core/pool/pool-carrier.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Exit codes. They are part of what scripts rely on. */
export const exitCode = { ok: 0, failed: 1, usage: 2, unsound: 3, unreachable: 4, interrupted: 130 } as const

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** Where the mirror of a book is; `book` is its name there, if that is another one. */
export interface Edge {
  readonly url: string
  readonly key: string
  readonly book?: string | undefined
}

export interface OpenChoice {
  readonly create?: boolean
  readonly file?: string
  readonly edge?: Edge
  readonly live?: boolean
  readonly carriers?: readonly PoolCarrier[]
}

export interface CommandContext {
  readonly values: Values
  readonly positionals: readonly string[]
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /**
   * Opens the agent's book. `create`: also when there is none yet. `file`: this one instead. `edge`: with its mirror, asked when told to only, or over a
   * live line with `live`. `carriers`: with these ways to the agents of other books.
   */
  open(options?: OpenChoice): Promise<Daybook>
  /** Where the agent's book is. */
  readonly bookFile: string
  /** Where exports of the agent go unless told otherwise. */
  readonly exportFolder: string
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** What follows the name, as in `<bundle>`. */
  readonly operands: string
  readonly options: ParseArgsOptionsConfig
  /** One line of help for each option. */
  readonly help: Readonly<Record<string, string>>
  run(context: CommandContext): Promise<void>
}

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** A whole number in a range, or a `UsageError`. */
export function numberOf(values: Values, name: string, least: number, most: number): number | undefined {
  const text = textOf(values, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d{1,9}$/.test(text) && value >= least && value <= most) return value
  throw new UsageError(`--${name} takes a whole number from ${least} to ${most}`)
}

/** `traces,facts` as a list. */
export function listOf(values: Values, name: string): string[] | undefined {
  const list = textOf(values, name)
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (list?.length === 0) throw new UsageError(`--${name} takes names with commas between them`)
  return list
}

/** The members that have a value. */
export function given<Value extends object>(
  value: Value,
): { [Name in keyof Value]?: NonNullable<Value[Name]> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [Name in keyof Value]?: NonNullable<Value[Name]>
  }
}
