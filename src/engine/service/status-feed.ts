// Tells those who listen when the state of a book has become another one: what does not work, or works again.
// Invariant: told once for each change, whoever notices first; how far something has come is progress, not a change.
import type { Status } from '../../core/capability/status.ts'
import { isDaybookError } from '../../core/errors.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import type { Service } from '../../core/capability/service.ts'
import type { Scheduler } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'

export interface StatusFeedParts {
  readonly scheduler: Pick<Scheduler, 'later'>
  readonly settings: BookStore['settings']
  readonly role: 'device' | 'mirror'
  /** What does not work as it should, this feed's own word included, as far as is known without asking the host. */
  readonly why: () => readonly string[]
  readonly ask: () => Promise<Status>
  readonly tell: (detail: BookEvents['status']) => void
}

/** What is wrong from the beginning is told this long after it: who has opened the book listens by then. */
const firstTellMs = 500

export function createStatusFeed(parts: StatusFeedParts): Service {
  const { scheduler, settings, role, why, ask, tell } = parts
  let isFull = false
  let closed = false
  let cancel: (() => void) | undefined
  const spelled = () => why().join('\n').replaceAll(/\d+/g, '')
  let last = spelled()

  const tellNow = () => {
    last = spelled()
    void ask().then(
      ({ owner, durability, degraded: all }) => closed || tell({ owner, durability, degraded: all }),
      () => undefined,
    )
  }
  // Not at once: who notices is in the middle of something, and often several do.
  const look = () => {
    cancel ??= scheduler.later(0, () => {
      cancel = undefined
      if (!closed && spelled() !== last) tellNow()
    })
  }
  if (role === 'device' && ['evicted', 'mended'].some((what) => settings.get(what) !== undefined))
    scheduler.later(firstTellMs, () => closed || tellNow())
  const setFull = (now: boolean) => {
    if (isFull === now) return
    isFull = now
    look()
  }
  return {
    name: 'status feed',
    stateChanged: (isCertain) => (isCertain ? tellNow() : look()),
    failed(error) {
      if (isDaybookError(error, 'storage-full')) setFull(true)
    },
    answered(effect) {
      if (effect === 'write') setFull(false)
    },
    degraded: () =>
      isFull
        ? 'storage-full: a write was refused for want of room. The book can be read, and forgetting makes room.'
        : undefined,
    close() {
      closed = true
      cancel?.()
    },
  }
}
