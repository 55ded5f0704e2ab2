// Sends the events of the book to its listeners.
// Invariant: `closed` is the last event.
import type { BookEvent, BookEvents } from '../../core/capability/event.ts'
import type { Service, ServiceParts } from '../../core/capability/chapter.ts'
import type { DaybookError } from '../../core/errors.ts'
import type { Scheduler } from '../../core/ports.ts'

export interface BookEventFeed extends Service, Pick<ServiceParts, 'tell'> {
  on(listener: (event: BookEvent) => void): () => void
  /** Sets the error that the event `closed` reports. Undefined: the book stays open after all. */
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

/** Most ids of one event `change`; `more` counts the rest. */
const idLimit = 1000
/** Changes within this time share one event `change`: short enough for live views, long enough for many writes. */
const gatherMs = 20

/** Gathers changes after their commits, and sends them as one event `change`. `close` sends the rest. */
export function createChangeFeed(
  scheduler: Pick<Scheduler, 'later'>,
  tell: (change: BookEvents['change']) => void,
): Service {
  let ids = new Set<string>()
  let kinds = new Set<string>()
  let cancel: (() => void) | undefined
  const flush = () => {
    cancel?.()
    cancel = undefined
    if (ids.size === 0) return
    const all = [...ids]
    const change = { ids: all.slice(0, idLimit), kinds: [...kinds], more: Math.max(0, all.length - idLimit) }
    ids = new Set()
    kinds = new Set()
    tell(change)
  }
  return {
    name: 'change feed',
    changed(id, kind) {
      ids.add(id)
      kinds.add(kind)
      cancel ??= scheduler.later(gatherMs, flush)
    },
    close: flush,
  }
}
