// Gathers changes and tells of them together, a little after their commit: a stream of writes is few events.
import type { BookEvents } from '../../core/capability/event.ts'
import type { Service } from '../../core/capability/service.ts'
import type { Scheduler } from '../../core/ports.ts'

const idLimit = 1000
/** Soon enough to look live, seldom enough to cost the writes nothing. */
const gatherMs = 20

/** What is not told yet when the book is closed is told then. */
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
