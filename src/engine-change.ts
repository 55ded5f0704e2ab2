// Gathers changes and tells of them together, once for each turn of the event loop, after their commit.
import type { BookEvents } from './core/event.ts'
import type { Scheduler } from './core/ports.ts'

export interface ChangeFeed {
  add(id: string, kind: string): void
  flush(): void
}

const idLimit = 1000

export function createChangeFeed(scheduler: Scheduler, tell: (change: BookEvents['change']) => void): ChangeFeed {
  let ids = new Set<string>()
  let kinds = new Set<string>()
  let scheduled = false
  const flush = () => {
    scheduled = false
    if (ids.size === 0) return
    const all = [...ids]
    const change = { ids: all.slice(0, idLimit), kinds: [...kinds], more: Math.max(0, all.length - idLimit) }
    ids = new Set()
    kinds = new Set()
    tell(change)
  }
  return {
    flush,
    add(id, kind) {
      ids.add(id)
      kinds.add(kind)
      if (scheduled) return
      scheduled = true
      scheduler.soon(flush)
    },
  }
}
