// The tools that one caller has: those whose verbs it may call, each run through the caller's own door.
import { shownJson } from '../../core/text/shown-text.ts'
import type { AbortSignalLike } from '../../core/abort.ts'
import { permits } from '../../core/access/permission.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { BookCallOptions } from '../call-options.ts'
import type { DoorRights } from './door-right.ts'
import type { ToolOutcome, ToolSetName, ToolSource, ToolText } from './tool-source.ts'

export interface ToolCallOptions {
  /** Makes a write safe to send again: it takes effect once. */
  readonly requestId?: string
  readonly signal?: AbortSignalLike
}

/** As much of a book's door as tools need. */
export interface ToolDoor {
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  readonly tools: ToolSource
  readonly rights?: DoorRights | undefined
}

export interface ToolBelt {
  /** What the caller may call now. */
  list(): Promise<readonly ToolText[]>
  run(name: string, input: unknown, options: ToolCallOptions): Promise<ToolOutcome>
}

/** Tools of these sets, for whoever has `door`. */
export function createToolBelt(door: ToolDoor, sets: readonly ToolSetName[]): ToolBelt {
  const { tools, rights } = door
  return {
    async list() {
      const [all, permissions] = await Promise.all([tools.list(sets), rights?.permissions()])
      if (!permissions) return all
      return all.filter(({ verbs }) => verbs.every((verb) => permits(permissions, verb)))
    },
    run: (name, input, { requestId, signal }) =>
      tools.run(sets, name, input, (id, given, step) =>
        door.call(id, given, {
          ...(signal ? { signal } : {}),
          ...(requestId === undefined ? {} : { requestId: step === 0 ? requestId : `${requestId}/${step}` }),
        }),
      ),
  }
}

/** What a model is told of an error: its four fields, and of a fault of Daybook itself no more than that there was one. */
export function failureText(error: unknown): { readonly text: string; readonly value: unknown } {
  const known = toDaybookError(error)
  const value = (isDaybookError(known, 'internal') ? new DaybookError('internal') : known).toJSON()
  return { text: shownJson(value), value }
}
