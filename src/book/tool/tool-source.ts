// The tools for models as a book asks its host for them: what they say of themselves, and what they do when they are called.
// Invariant: a tool reaches the book through the call that it is given alone, so it may do what its caller may.
import type { Guarded } from '../../core/access/permission.ts'

export const toolSetNames = ['recall', 'kstar', 'ks', 'embedding', 'katra', 'pool', 'a2p', 'graph'] as const
export type ToolSetName = (typeof toolSetNames)[number]

/** What is served unless somebody asks for others. */
export const usualSets: readonly ToolSetName[] = ['recall']

/** What a tool says of itself. */
export interface ToolText {
  readonly name: string
  readonly description: string
  /** JSON Schema, draft 2020-12, of an object. */
  readonly input: Readonly<Record<string, unknown>>
  /** The verbs that it may call: who may call them may call this. */
  readonly verbs: readonly Guarded[]
  readonly readsOnly: boolean
  /** What it answers was stored by others. */
  readonly isQuoted: boolean
}

/** What a tool answered. */
export interface ToolOutcome {
  readonly value: unknown
  /** The value as a model reads it, and remarks, each a text of its own. */
  readonly texts: readonly string[]
  /** The value stands in place of an error. */
  readonly isFailure: boolean
}

/** Runs a verb. `step` counts the calls of one tool from 0, so that each takes effect once. */
export type ToolVerbCall = (id: string, input: unknown, step: number) => Promise<unknown>

/** Where tools come from: beside the engine, so that a page that asks for none loads none. */
export interface ToolSource {
  /** Rejects with `invalid-input` at `set` for sets that can't be served together. */
  list(sets: readonly ToolSetName[]): Promise<readonly ToolText[]>
  /** Rejects with `unknown-capability` at `name` for a tool that is in none of the sets. */
  run(sets: readonly ToolSetName[], name: string, input: unknown, call: ToolVerbCall): Promise<ToolOutcome>
}
