// Keeps the latest time that a book has seen where it is only read: every write keeps it with itself.
import type { Service } from '../../core/capability/service.ts'
import type { Clock } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'
import { createTimeSeen, type TimeSeen } from '../../store/time-seen.ts'
import type { Lifecycle } from '../lifecycle.ts'

interface TimeKeepingParts {
  readonly store: Pick<BookStore, 'writes' | 'newer' | 'settings'>
  readonly services: Pick<Lifecycle, 'add'>
}

export function addTimeSeen({ store, services }: TimeKeepingParts, clock: Clock): TimeSeen {
  const { writes, newer } = store
  const seen = createTimeSeen(store.settings, clock)
  let isClosed = false
  services.add<Service>({
    name: 'time',
    idle() {
      if (isClosed || newer || !seen.isStale()) return
      // Where it can't be written now, the next write or the next idle time keeps it.
      writes.write(() => seen.store()).catch(() => undefined)
    },
    close() {
      isClosed = true
    },
  })
  return seen
}
