// A tool for models: its description, its verbs and its function; and the verbs that MCP offers.
// Invariant: a tool calls only verbs that it names, as the caller. MCP never offers verbs that grant, seal, decide,
// erase or import a whole book: a person calls these in the book itself.
import { shownJson, shownText } from '../../core/text/shown-text.ts'
import type { AnyCapability } from '../../core/capability/capability.ts'
import { DaybookError } from '../../core/errors.ts'
import { capabilityTable } from '../../engine/capability-table.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export interface ToolContext {
  /**
   * Calls a verb. `step`: number of the call within the tool's run, from 0; the request id is derived from it, so
   * that each call takes effect once.
   */
  call(id: string, input: unknown, step: number): Promise<unknown>
  now(): number
  /**
   * Throws if the caller may not call the verb. Called before an error of the input is revealed. Absent: no check.
   */
  admit?(id: string): Promise<void>
  /** Runs `work` after earlier `work` of the book. Use it for a read followed by a write. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface ToolAnswer {
  readonly value: unknown
  /** The text for the model. Default: the value as JSON. */
  readonly text?: string
  /** Remarks for the model, as separate texts after the value. */
  readonly notes?: readonly string[]
  /** True: the value replaces an error. Default: false. */
  readonly isErrorAnswer?: boolean
}

/** MCP annotations about the effects of a tool. */
export interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A question for the user of the host, before the tool runs. */
export interface ToolQuestion {
  readonly text: string
  /** True: the tool runs in any case, and the user decides about its proposal. False: it runs only if the user accepts. */
  readonly isReview?: boolean
}

export interface McpTool {
  readonly name: string
  readonly description: string
  readonly input: JsonSchema
  /** Only for tools whose answer is an object. */
  readonly output?: JsonSchema
  readonly hints: ToolHints
  /** Verbs that the tool may call. The caller needs the right to every verb. */
  readonly verbs: readonly [string, ...string[]]
  /** True: the answer contains text that agents and users stored. */
  readonly isQuoted: boolean
  /** Returns the question that this call needs; undefined: none. `input` is unchecked. Absent: it never asks. */
  question?(input: unknown, at: ToolContext): ToolQuestion | undefined | Promise<ToolQuestion | undefined>
  run(input: unknown, at: ToolContext): Promise<ToolAnswer>
}

/** The hints as they are sent: without those that have the protocol's default, which a client adds itself. */
export function sentHints({
  readOnlyHint,
  destructiveHint,
  idempotentHint,
  ...others
}: ToolHints): Partial<ToolHints> {
  return {
    ...(readOnlyHint ? { readOnlyHint } : {}),
    // A reading tool destroys nothing, and changes nothing when it runs again.
    ...(readOnlyHint ? {} : { destructiveHint, ...(idempotentHint ? { idempotentHint } : {}) }),
    ...others,
  }
}

/** The name of a tool for people: `Store trace`, `Kstar store trace`. */
export function titleOf(name: string): string {
  const words = name.replace(/^mcp__/, '').replaceAll(/[_-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Returns the texts of an answer for a model: the value, then the remarks. Invisible characters are removed or
 * escaped. A failure has no remarks.
 */
export function textsOf({ value, text, notes = [], isErrorAnswer = false }: ToolAnswer): readonly string[] {
  return [text === undefined ? shownJson(value ?? null) : shownText(text), ...(isErrorAnswer ? [] : notes)]
}

/** Owner-only verbs that MCP offers, because they reveal and change nothing of the book. */
const offeredOwnerVerbs = new Set(['embed:texts'])
/**
 * Verbs for guests that MCP does not offer, because they grant rights or change the sensitivity of a record, which
 * may unseal it.
 */
const withheldGuestVerbs = new Set(['kstar:grant_control_token', 'kstar:set_sensitivity'])

type OfferedVerb = Pick<
  AnyCapability,
  'id' | 'summary' | 'effect' | 'permission' | 'impact' | 'runs' | 'input' | 'output'
>

const verbs: ReadonlyMap<string, OfferedVerb> = new Map(
  capabilityTable.map((capability): [string, OfferedVerb] => [capability.id, capability]),
)

/** Returns the verb of that id. Undefined: MCP does not offer the verb. */
export function offeredVerb(id: string): OfferedVerb | undefined {
  const verb = verbs.get(id)
  if (!verb) return undefined
  // A verb without a permission is the owner's alone.
  const isOffered = verb.permission === undefined ? offeredOwnerVerbs.has(id) : !withheldGuestVerbs.has(id)
  return isOffered ? verb : undefined
}

/** Returns the verb of that id. Throws `forbidden` if MCP does not offer the verb. */
export function requireOffered(id: string): OfferedVerb {
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

/** The last queued work of each book; it never rejects. */
const lastWorkByBook = new WeakMap<object, Promise<unknown>>()

/**
 * Runs `work` after all earlier `work` of `book`, also if the earlier failed. `book`: any object that identifies the
 * queue.
 */
export function runInTurn<Result>(book: object, work: () => Promise<Result>): Promise<Result> {
  const previous = lastWorkByBook.get(book) ?? Promise.resolve()
  const result = previous.then(work, work)
  lastWorkByBook.set(
    book,
    result.catch(() => undefined),
  )
  return result
}
