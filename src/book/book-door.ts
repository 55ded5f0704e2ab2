// The way from a book, as users hold it, to the engine behind it.
import type { BookEvent } from '../core/capability/event.ts'
import type { BookCallOptions } from './call-options.ts'
import type { DoorRights } from './tool/door-right.ts'
import type { ToolSource } from './tool/tool-source.ts'

/** What a book is built on: an engine in this thread, or one behind a wire. */
export interface BookDoor {
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  /** `name`: the only event that the listener takes; a door may save itself the others. */
  on(listener: (event: BookEvent) => void, name?: BookEvent['name']): () => void
  /**
   * Tells of whatever may change what the holder of a token is answered, for those who ask again and show nothing else of it;
   * absent where the owner calls.
   */
  readonly watch?: ((listener: (event: BookEvent) => void) => () => void) | undefined
  close(): Promise<void>
  /** Where the tools for models come from. */
  readonly tools: ToolSource
  /** What the token permits that calls are made with; absent where there is none, and the owner calls. */
  readonly rights?: DoorRights | undefined
}
