// Tells those who listen when the state of a book has become another one: what does not work, or works again.
// Invariant: told once for each change, whoever notices first; how far something has come is progress, not a change.
import type { Status } from '../../core/capability/capability.ts'
import { isDaybookError } from '../../core/errors.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import type { Scheduler } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'

export interface StatusFeed {
  /** Something may have changed. */
  look(): void
  /** Tells it in any case. */
  tell(): void
  /** A call failed: was it for want of room? */
  heard(error: unknown): void
  /** There was room for a write. */
  wrote(): void
  /** What is told of a book whose storage is full. */
  degraded(): string | undefined
  close(): void
}

export interface StatusFeedParts {
  readonly scheduler: Pick<Scheduler, 'later'>
  readonly settings: BookStore['settings']
  readonly role: 'device' | 'mirror'
  /** What does not work as it should, as far as the engine knows without asking its host. */
  readonly why: () => readonly (string | undefined)[]
  readonly ask: () => Promise<Status>
  readonly emit: (detail: BookEvents['status']) => void
}

/** What is wrong from the beginning is told this long after it: who has opened the book listens by then. */
const firstTellMs = 500

export function createStatusFeed({ scheduler, settings, role, why, ask, emit }: StatusFeedParts): StatusFeed {
  let isFull = false
  let closed = false
  let cancel: (() => void) | undefined
  const degraded = () =>
    isFull
      ? 'storage-full: a write was refused for want of room. The book can be read, and forgetting makes room.'
      : undefined
  const spelled = () => [...why(), degraded()].join('\n').replaceAll(/\d+/g, '')
  let last = spelled()

  const tell = () => {
    last = spelled()
    void ask().then(
      ({ owner, durability, degraded: all }) => closed || emit({ owner, durability, degraded: all }),
      () => undefined,
    )
  }
  // Not at once: who notices is in the middle of something, and often several do.
  const look = () => {
    cancel ??= scheduler.later(0, () => {
      cancel = undefined
      if (!closed && spelled() !== last) tell()
    })
  }
  if (role === 'device' && ['evicted', 'mended'].some((what) => settings.get(what) !== undefined))
    scheduler.later(firstTellMs, () => closed || tell())
  const setFull = (now: boolean) => {
    if (isFull === now) return
    isFull = now
    look()
  }
  return {
    look,
    tell,
    degraded,
    heard: (error) => isDaybookError(error, 'storage-full') && setFull(true),
    wrote: () => setFull(false),
    close() {
      closed = true
      cancel?.()
    },
  }
}
