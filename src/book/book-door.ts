// The door of a book: the interface through which the user's book object calls the engine.
import type { BookEvent, BookEvents } from '../core/capability/event.ts'
import type { BookCallOptions } from './call-options.ts'
import type { DoorRights } from './tool/door-right.ts'
import type { ToolSource } from './tool/tool-source.ts'
import { type OptionCheck, wordOption } from '../core/option-check.ts'

/** Access to the engine of a book, in this thread, another thread or another process. */
export interface BookDoor {
  /** Calls the verb `id`; resolves with its output. */
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  /**
   * Calls `listener` at each event; returns a function that removes the listener. `name`: the only event that the
   * listener needs. A door may still send others, so the listener checks the name.
   */
  on(listener: (event: BookEvent) => void, name?: BookEvent['name']): () => void
  /**
   * For live queries of a token's holder: also notifies of events that the holder may not see, because they may change
   * an answer. A live query only repeats its call, and must not show the event. Absent for the owner, whose `on` gets
   * all events.
   */
  readonly watch?: ((listener: (event: BookEvent) => void) => () => void) | undefined
  /** Closes the book here. The door of a handle closes the handle only, and leaves the book open. */
  close(): Promise<void>
  /** Source of tools for models. */
  readonly tools: ToolSource
  /** Rights of the calls through this door. Absent: the owner calls. */
  readonly rights?: DoorRights | undefined
}

/** All names of events, for `checkEventName` only: a missing name doesn't compile. */
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

/** Throws `invalid-input` with the path for an unknown event name; returns nothing. */
export const checkEventName: OptionCheck = wordOption(...Object.keys(events))
