// Tools for models: the host describes and runs the tools with the rights of one caller.
// Invariant: a tool reaches the book only through the call function that it gets, so it does no more than its caller
// may do.
import { type GuardedVerb, permits } from '../../core/access/permission.ts'
import { shownJson } from '../../core/text/shown-text.ts'
import type { AbortSignalLike } from '../../core/abort.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { BookCallOptions } from '../call-options.ts'
import type { DoorRights } from './door-right.ts'

/** Names of the tool sets: docs/connect.md describes each. */
export const toolSetNames = [
  'recall',
  'records',
  'kstar',
  'ks',
  'embedding',
  'katra',
  'pool',
  'a2p',
  'graph',
  'explain',
] as const
export type ToolSetName = (typeof toolSetNames)[number]

/** Default sets. */
export const usualSets: readonly ToolSetName[] = ['recall']

/** Description of a tool. */
export interface ToolText {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object, draft 2020-12. */
  readonly input: Readonly<Record<string, unknown>>
  /** Verbs that the tool may call, each with the right that it needs; a caller needs the rights for all of them. */
  readonly verbs: readonly GuardedVerb[]
  readonly readsOnly: boolean
  /** True if the tool's answers quote stored text, which others may have written. */
  readonly isQuoted: boolean
}

/** Result of a tool. */
export interface ToolOutcome {
  readonly value: unknown
  /** The value as text for a model, and remarks; one text each. */
  readonly texts: readonly string[]
  /** True if the value describes an error. */
  readonly isFailure: boolean
}

/** Runs a verb. `step` counts the calls of one tool run from 0, so that each takes effect once. */
export type ToolVerbCall = (id: string, input: unknown, step: number) => Promise<unknown>

/** Source of tools. Separate from the engine, so that a page without tools loads no tools. */
export interface ToolSource {
  /** Rejects with `invalid-input` at `set` for sets that can't be combined. */
  list(sets: readonly ToolSetName[]): Promise<readonly ToolText[]>
  /** Rejects with `unknown-capability` at `name` for a tool outside of the sets. */
  run(sets: readonly ToolSetName[], name: string, input: unknown, call: ToolVerbCall): Promise<ToolOutcome>
}

export interface ToolCallOptions {
  /** Makes a write safe to repeat: it takes effect once. */
  readonly requestId?: string
  readonly signal?: AbortSignalLike
}

/** The used part of a book's door. */
export interface ToolDoor {
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  readonly tools: ToolSource
  readonly rights?: DoorRights | undefined
}

/** The tools of some sets for one caller. */
export interface ToolBelt {
  /** Tools that the caller may call now. `run` doesn't check this list: the verbs check the caller. */
  list(): Promise<readonly ToolText[]>
  run(name: string, input: unknown, options: ToolCallOptions): Promise<ToolOutcome>
}

/** Creates the tools of `sets` for the caller of `door`; each tool calls verbs through `door`. */
export function createToolBelt(door: ToolDoor, sets: readonly ToolSetName[]): ToolBelt {
  const { tools, rights } = door
  return {
    async list() {
      const [all, permissions] = await Promise.all([tools.list(sets), rights?.permissions()])
      if (!permissions) return all
      return all.filter(({ verbs }) => verbs.every((verb) => permits(permissions, verb)))
    },
    run: (name, input, { requestId, signal }) =>
      tools.run(sets, name, input, (id, input, step) =>
        door.call(id, input, {
          // A model calls the tools, also on a handle of the owner.
          scope: { trust: 'agent' },
          ...(signal ? { signal } : {}),
          ...(requestId === undefined ? {} : { requestId: step === 0 ? requestId : `${requestId}/${step}` }),
        }),
      ),
  }
}

/** Describes an error for a model by its four fields. The description of an internal error has no details. */
export function failureText(error: unknown): { readonly text: string; readonly value: unknown } {
  const failure = toDaybookError(error)
  const value = (isDaybookError(failure, 'internal') ? new DaybookError('internal') : failure).toJSON()
  return { text: shownJson(value), value }
}
