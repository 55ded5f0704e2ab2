// Sync without an open page, on the page's side: tells the worker about a service worker, hands over pending
// requests when the page is hidden, and asks the browser for a `sync` event.
// Invariant: without Background Sync or a service worker nothing happens.
import type { BookEvents } from '../../../core/capability/event.ts'
import { backgroundSyncTag } from '../background/background-sync-tag.ts'
import type { WorkerLink } from './worker-link.ts'

/** Not in every browser, and so not in the types. */
interface SyncRegistration extends ServiceWorkerRegistration {
  readonly sync?: { register(tag: string): Promise<void> }
}

type BackgroundLink = Pick<WorkerLink, 'allowBackground' | 'spill'>

export interface BackgroundWatch {
  /** The page has a new worker, which must know when there is a service worker. */
  started(link: BackgroundLink): void
  /** Something was written in this page. */
  wrote(): void
  syncChanged(state: BookEvents['sync']): void
  stop(): void
}

export function watchBackground(): BackgroundWatch {
  // Never resolves without a service worker.
  const ready = navigator.serviceWorker?.ready as Promise<SyncRegistration> | undefined
  let isRefused = false
  let isRequested = false
  let isDirty = false
  let link: BackgroundLink | undefined
  const requestSync = async () => {
    if (isRefused) return
    try {
      await (await ready)?.sync?.register(backgroundSyncTag)
    } catch {
      // The user or the browser's policy refuses.
      isRefused = true
      link?.allowBackground(false)
    }
  }
  const hide = () => {
    if (document.visibilityState !== 'hidden') return
    // The page may have no time for more.
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
    syncChanged({ background, pending }) {
      isDirty = pending > 0
      // Once for everything that is handed over until it is sent; later additions ask when the page is
      // hidden.
      if (background === 'handed' && !isRequested) void requestSync()
      isRequested = background === 'handed'
    },
    stop: () => document.removeEventListener('visibilitychange', hide),
  }
}
