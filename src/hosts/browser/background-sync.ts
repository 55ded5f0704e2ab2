// The page's part in sending with no page open: it tells the worker that a service worker is there, has it hand over what
// waits when the page goes out of sight, and asks the browser for the event that wakes the service worker.
// Invariant: without Background Sync, or without a service worker, nothing happens.
import type { BookEvents } from '../../core/event.ts'
import { backgroundSyncTag } from './background-sync-tag.ts'

/** Not in every browser, and so not in the types of all. */
interface SyncRegistration extends ServiceWorkerRegistration {
  readonly sync?: { register(tag: string): Promise<void> }
}

export interface BackgroundWatch {
  /** A new worker of this page: it is told as soon as a service worker is there. */
  started(allow: (isAllowed: boolean) => void): void
  /** Something was written in this page. */
  wrote(): void
  heard(state: BookEvents['sync']): void
  stop(): void
}

/** `spill` hands over what waits, and says whether there was something. */
export function watchBackground(spill: () => Promise<boolean>): BackgroundWatch {
  // Never resolves where the page has no service worker.
  const ready = navigator.serviceWorker?.ready as Promise<SyncRegistration> | undefined
  let refused = false
  let asked = false
  let isDirty = false
  let allow: ((isAllowed: boolean) => void) | undefined
  const ask = async () => {
    if (refused) return
    try {
      await (await ready)?.sync?.register(backgroundSyncTag)
    } catch {
      // The user, or the browser's policy, does not want it.
      refused = true
      allow?.(false)
    }
  }
  const hide = () => {
    if (document.visibilityState !== 'hidden') return
    // The page may have no time for more than this.
    if (isDirty) void ask()
    void spill().then((isHanded) => (isHanded ? ask() : undefined))
  }
  document.addEventListener('visibilitychange', hide)
  return {
    started(tell) {
      allow = tell
      void ready?.then(({ sync }) => sync && !refused && tell(true))
    },
    wrote: () => void (isDirty = true),
    heard({ background, pending }) {
      isDirty = pending > 0
      // Once for all that is handed over until it was sent; what is added meanwhile asks when the page is hidden.
      if (background === 'handed' && !asked) void ask()
      asked = background === 'handed'
    },
    stop: () => document.removeEventListener('visibilitychange', hide),
  }
}
