// Background sync, on the page's side: allows the worker to hand over requests when there is a service
// worker, hands over pending requests when the page is hidden, and asks the browser for a `sync` event.
// Invariant: without Background Sync or a service worker it does nothing.
import type { BookEvents } from '../../../core/capability/event.ts'
import { backgroundSyncTag } from '../background/background-sync-tag.ts'
import type { WorkerLink } from './worker-link.ts'

/** Background Sync is not in every browser, and so not in TypeScript's types. */
interface SyncRegistration extends ServiceWorkerRegistration {
  readonly sync?: { register(tag: string): Promise<void> }
}

type BackgroundLink = Pick<WorkerLink, 'allowBackground' | 'spill'>

export interface BackgroundWatch {
  /** Call it with each new worker of the page: background sync must be allowed for each. */
  started(link: BackgroundLink): void
  /** Call it after each write in this page. */
  wrote(): void
  /** Call it with each `sync` event. */
  syncChanged(state: BookEvents['sync']): void
  stop(): void
}

export function watchBackground(): BackgroundWatch {
  // Resolves when a service worker is active; without a service worker it never resolves.
  const ready = navigator.serviceWorker?.ready as Promise<SyncRegistration> | undefined
  let isRefused = false
  /** A `sync` event is requested for the requests that the worker has handed over. */
  let isRequested = false
  /** The book has changes that the mirror lacks. */
  let isDirty = false
  let link: BackgroundLink | undefined
  const requestSync = async () => {
    if (isRefused) return
    try {
      await (await ready)?.sync?.register(backgroundSyncTag)
    } catch {
      // The user or a policy of the browser refuses Background Sync.
      isRefused = true
      link?.allowBackground(false)
    }
  }
  const hide = () => {
    if (document.visibilityState !== 'hidden') return
    // Before `spill`: the page may end before the worker answers.
    if (isDirty) void requestSync()
    void link?.spill().then((isHanded) => (isHanded ? requestSync() : undefined))
  }
  return {
    started(next) {
      link = next
      document.addEventListener('visibilitychange', hide)
      void ready?.then(({ sync }) => sync && !isRefused && next.allowBackground(true))
    },
    wrote: () => void (isDirty = true),
    // `handed`: the service worker has requests to send. `pending`: number of changes that the mirror has not
    // acknowledged.
    syncChanged({ background, pending }) {
      isDirty = pending > 0
      // Request one `sync` event for all pending requests; `hide` requests it again for later changes.
      if (background === 'handed' && !isRequested) void requestSync()
      isRequested = background === 'handed'
    },
    stop: () => document.removeEventListener('visibilitychange', hide),
  }
}
