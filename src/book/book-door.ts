// The way from a book, as users hold it, to the engine behind it.
import type { BookEvent } from '../core/capability/event.ts'
import type { BookCallOptions } from './call-options.ts'

/** What a book is built on: an engine in this thread, or one behind a wire. */
export interface BookDoor {
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  on(listener: (event: BookEvent) => void): () => void
  close(): Promise<void>
}
