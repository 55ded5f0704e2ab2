// The page's part in sending with no page open: it tells the worker that a service worker is there, has it hand over what
// waits when the page goes out of sight, and asks the browser for the event that wakes the service worker.
// Invariant: without Background Sync, or without a service worker, nothing happens.
import type { BookEvents } from '../../../core/capability/event.ts'
import { backgroundSyncTag } from '../background/background-sync-tag.ts'
import type { WorkerLink } from './worker-link.ts'

/** Not in every browser, and so not in the types of all. */
interface SyncRegistration extends ServiceWorkerRegistration {
  readonly sync?: { register(tag: string): Promise<void> }
}

type BackgroundLink = Pick<WorkerLink, 'allowBackground' | 'spill'>

export interface BackgroundWatch {
  /** The page has a worker, or another one, which is to know as soon as a service worker is there. */
  started(link: BackgroundLink): void
  /** Something was written in this page. */
  wrote(): void
  syncChanged(state: BookEvents['sync']): void
  stop(): void
}

export function watchBackground(): BackgroundWatch {
  // Never resolves where the page has no service worker.
  const ready = navigator.serviceWorker?.ready as Promise<SyncRegistration> | undefined
  let refused = false
  let asked = false
  let isDirty = false
  let link: BackgroundLink | undefined
  const ask = async () => {
    if (refused) return
    try {
      await (await ready)?.sync?.register(backgroundSyncTag)
    } catch {
      // The user, or the browser's policy, does not want it.
      refused = true
      link?.allowBackground(false)
    }
  }
  const hide = () => {
    if (document.visibilityState !== 'hidden') return
    // The page may have no time for more than this.
    if (isDirty) void ask()
    void link?.spill().then((isHanded) => (isHanded ? ask() : undefined))
  }
  return {
    started(next) {
      link = next
      document.addEventListener('visibilitychange', hide)
      void ready?.then(({ sync }) => sync && !refused && next.allowBackground(true))
    },
    wrote: () => void (isDirty = true),
    syncChanged({ background, pending }) {
      isDirty = pending > 0
      // Once for all that is handed over until it was sent; what is added meanwhile asks when the page is hidden.
      if (background === 'handed' && !asked) void ask()
      asked = background === 'handed'
    },
    stop: () => document.removeEventListener('visibilitychange', hide),
  }
}
