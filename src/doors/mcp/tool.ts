// A tool: its description, its verbs and its work.
// Invariants: a tool reaches a book only through the verbs it names, as the caller. Granting, sealing, deciding, erasing and importing a
// whole book are never offered over MCP: a person does them in the book itself.
import { shownJson, shownText } from '../../core/text/shown-text.ts'
import type { AnyCapability } from '../../core/capability/capability.ts'
import { DaybookError } from '../../core/errors.ts'
import { capabilityTable } from '../../engine/capability-table.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface ToolCall {
  /** Runs a verb. `step` counts a tool's calls from 0, so that each takes effect once. */
  call(id: string, input: unknown, step: number): Promise<unknown>
  now(): number
  /** Throws unless the caller may call the verb. Called before errors of an input are revealed. */
  admit?(id: string): Promise<void>
  /** Runs `work` after earlier work: for a read followed by a write. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface ToolAnswer {
  readonly value: unknown
  /** Default: the value as JSON. */
  readonly text?: string
  /** Remarks for the model, as separate texts after the value. */
  readonly notes?: readonly string[]
  /** True if the value is in place of an error. */
  readonly isFailure?: boolean
}

/** MCP annotations about the effects of a tool. */
export interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

export interface McpTool {
  readonly name: string
  readonly description: string
  readonly input: JsonSchema
  /** For tools that answer an object. */
  readonly output?: JsonSchema
  readonly hints: ToolHints
  /** Verbs that it may call. A caller needs the right to all of them. */
  readonly verbs: readonly [string, ...string[]]
  /** True if the answer has content of others. */
  readonly isQuoted: boolean
  run(input: unknown, at: ToolCall): Promise<ToolAnswer>
}

/** The texts of an answer for a model: the value, then remarks. Invisible characters are removed or escaped. */
export function textsOf({ value, text, notes = [], isFailure = false }: ToolAnswer): readonly string[] {
  return [text === undefined ? shownJson(value ?? null) : shownText(text), ...(isFailure ? [] : notes)]
}

/** Owner-only verbs that are offered: they reveal and change nothing. */
const ownersOffered = new Set(['embed:texts'])
/** Guest verbs that are not offered: they grant rights, or unseal records. */
const guestsWithheld = new Set(['kstar:grant_control_token', 'kstar:set_sensitivity'])

type Named = Pick<AnyCapability, 'id' | 'summary' | 'effect' | 'permission' | 'runs' | 'input' | 'output'>

const verbs: ReadonlyMap<string, Named> = new Map(
  capabilityTable.map((capability): [string, Named] => [capability.id, capability]),
)

/** The verb of that id, if MCP offers it. */
export function offeredVerb(id: string): Named | undefined {
  const verb = verbs.get(id)
  if (!verb) return undefined
  const isOffered = verb.permission === undefined ? ownersOffered.has(id) : !guestsWithheld.has(id)
  return isOffered ? verb : undefined
}

/** The verb of that id, or `forbidden`. */
export function requireOffered(id: string): Named {
  const verb = offeredVerb(id)
  if (verb) return verb
  throw new DaybookError(
    'forbidden',
    `\`${id}\` is not available over MCP: the owner calls it in the book itself.`,
    {
      details: { capability: id, reason: 'not-over-mcp' },
    },
  )
}

const lastTurn = new WeakMap<object, Promise<unknown>>()

/** Runs `work` after all earlier work of `book` has ended, also after a failure. */
export function inTurn<Result>(book: object, work: () => Promise<Result>): Promise<Result> {
  const before = lastTurn.get(book) ?? Promise.resolve()
  const turn = before.then(work, work)
  lastTurn.set(
    book,
    turn.catch(() => undefined),
  )
  return turn
}
