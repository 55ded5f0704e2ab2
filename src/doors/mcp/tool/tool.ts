// What a tool is, whichever table it stands in: what it says of itself, which verbs it may call, what it does.
// Invariant: a tool reaches a book through the verbs that it names, as the caller who came; see offered-verb.ts.
import { shownJson, shownText } from '../../../core/text/shown-text.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface ToolCall {
  /** Runs a verb. `step` counts the calls of one tool from 0, so that each takes effect once. */
  call(id: string, input: unknown, step: number): Promise<unknown>
  now(): number
  /** Throws unless the caller may call the verb: asked before anything is said of what is wrong with an input. */
  admit?(id: string): Promise<void>
  /** Does `work` after what was given here before has ended: for what reads, and writes what it read with a change. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface ToolAnswer {
  readonly value: unknown
  /** What the text says, where that is not the value as JSON. */
  readonly text?: string
  /** Remarks for the model, each a text of its own after the value. */
  readonly notes?: readonly string[]
  /** The value stands in place of an error. */
  readonly isFailure?: boolean
}

/** What a client is told of what a tool does to its surroundings. */
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
  /** Of tools that answer an object. */
  readonly output?: JsonSchema
  readonly hints: ToolHints
  /** The verbs that it may call: who may call them may call this. */
  readonly verbs: readonly [string, ...string[]]
  /** What it answers was stored by others. */
  readonly isQuoted: boolean
  run(input: unknown, at: ToolCall): Promise<ToolAnswer>
}

/** What a model reads of an answer: the value, then remarks. What a person would not see of it is left out or escaped. */
export function textsOf({ value, text, notes = [], isFailure = false }: ToolAnswer): readonly string[] {
  return [text === undefined ? shownJson(value ?? null) : shownText(text), ...(isFailure ? [] : notes)]
}
