// Tells those who listen what happens to the book.
// Invariant: `closed` is the last that anybody is told.
import type { BookEvent, BookEvents } from '../../core/capability/event.ts'
import type { DaybookError } from '../../core/errors.ts'
import type { Service, ServiceParts } from '../../core/capability/service.ts'

export interface BookEventFeed extends Service, Pick<ServiceParts, 'tell'> {
  on(listener: (event: BookEvent) => void): () => void
  /** The book is about to be closed for this reason. Undefined: it stays open after all. */
  endsBy(error: DaybookError | undefined): void
}

export function createBookEvents(): BookEventFeed {
  const listeners = new Set<(event: BookEvent) => void>()
  let end: DaybookError | undefined
  const tell = <Name extends keyof BookEvents>(name: Name, detail: BookEvents[Name]) => {
    const event = { name, detail } as BookEvent
    for (const listener of listeners) listener(event)
  }
  return {
    name: 'events',
    tell,
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    endsBy(error) {
      end = error
    },
    close() {
      tell('closed', end ? { reason: end.message, code: end.code } : { reason: 'closed' })
      listeners.clear()
    },
  }
}
