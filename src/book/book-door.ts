// The door of a book: the interface through which the user's book object calls the engine.
import type { BookEvent, BookEvents } from '../core/capability/event.ts'
import type { BookCallOptions } from './call-options.ts'
import type { DoorRights } from './tool/door-right.ts'
import type { ToolSource } from './tool/tool-source.ts'
import { wordOption } from '../core/option-check.ts'

/** Access to an engine, in this thread, another thread or another process. */
export interface BookDoor {
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  /** `name`: the only event that the listener handles; a door may skip all other events. */
  on(listener: (event: BookEvent) => void, name?: BookEvent['name']): () => void
  /**
   * Notifies of every event that may change an answer for the holder of a token. Only for live queries, which repeat
   * their call and pass no event on. Absent for the owner.
   */
  readonly watch?: ((listener: (event: BookEvent) => void) => () => void) | undefined
  close(): Promise<void>
  /** Source of tools for models. */
  readonly tools: ToolSource
  /** Rights of the calls through this door. Absent: the owner calls. */
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
