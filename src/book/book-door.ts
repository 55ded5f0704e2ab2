// The door of a book: the way from the user's object to the engine.
import type { BookEvent, BookEvents } from '../core/capability/event.ts'
import type { BookCallOptions } from './call-options.ts'
import type { DoorRights } from './tool/door-right.ts'
import type { ToolSource } from './tool/tool-source.ts'
import { wordOption } from '../core/option-check.ts'

/** Access to an engine, in this thread or behind a wire. */
export interface BookDoor {
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  /** `name`: the only event that the listener takes; a door may skip the others. */
  on(listener: (event: BookEvent) => void, name?: BookEvent['name']): () => void
  /**
   * Notifies of everything that may change answers for the holder of a token, for live queries that only ask again.
   * Absent for the owner.
   */
  readonly watch?: ((listener: (event: BookEvent) => void) => () => void) | undefined
  close(): Promise<void>
  /** Source of tools for models. */
  readonly tools: ToolSource
  /** Rights of the token of these calls. Absent without a token: the owner calls. */
  readonly rights?: DoorRights | undefined
}

const events: { readonly [Name in keyof BookEvents]: true } = {
  change: true,
  progress: true,
  task: true,
  activity: true,
  sync: true,
  inbox: true,
  proposal: true,
  status: true,
  room: true,
  pool: true,
  secret: true,
  consent: true,
  closed: true,
}
/** Throws `invalid-input` for an unknown event name. */
export const checkEventName = wordOption(...Object.keys(events))
