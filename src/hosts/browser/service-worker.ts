// `daybook/service-worker`: sends pending requests of this origin's books when no page is open.
// Invariant: requests are sent unchanged and in order, and answers are stored unchanged: the book applies
// them at its next opening.
import { functionOption, optionsOf } from '../../core/option-check.ts'
import { backgroundSyncTag } from './background/background-sync-tag.ts'
import {
  type SpillDatabase,
  type SpillEntry,
  changeSpill,
  isCurrent,
  readSpills,
  withSpills,
} from './background/spill-place.ts'

export interface BackgroundSyncOptions {
  /**
   * Fetches the key of a book when requests are pending, for example from the app's server with its session
   * cookie. Default: the key of the book's option `sync: { background: { key } }`.
   */
  readonly key?: (waiting: { readonly book: string; readonly url: string }) => Promise<string>
}

const checkOptions = optionsOf<BackgroundSyncOptions>({ key: functionOption })

export { backgroundSyncTag }

interface SyncEvent extends Event {
  readonly tag: string
  waitUntil(work: Promise<unknown>): void
}

/** Deadline of a request; the browser's next event repeats it. */
const deadlineMs = 60_000

/**
 * Handles the browser's `sync` events. Call it at the top level of the service worker's script, not later.
 *
 * ```js
 * import { serveBackgroundSync } from 'daybook/service-worker'
 * serveBackgroundSync({ key: async () => (await fetch('/memory-key')).text() })
 * ```
 */
export function serveBackgroundSync(options: BackgroundSyncOptions = {}): void {
  checkOptions(options, '')
  addEventListener('sync', (event) => {
    const sync = event as SyncEvent
    if (sync.tag === backgroundSyncTag) sync.waitUntil(sendSpilled(options))
  })
}

/**
 * Sends all pending requests, for a service worker with its own `sync` listener. Rejects if a request failed
 * and may be repeated: then the browser repeats the event.
 */
export function sendSpilled(options: BackgroundSyncOptions = {}): Promise<void> {
  checkOptions(options, '')
  // Events may overlap, so send under a lock.
  return navigator.locks.request('daybook:spill', () => withSpills((db) => sendEntries(db, options)))
}

async function sendEntries(db: SpillDatabase, options: BackgroundSyncOptions): Promise<void> {
  let fault: unknown
  for (const entry of await readSpills(db)) {
    const keep = (answer: string) =>
      changeSpill(db, entry, (now) => ({ ...now, answers: [...now.answers, answer] }))
    try {
      const isRefused = await sendEntry(entry, options, keep, () => isCurrent(db, entry))
      // Drop refused requests: the book repeats them itself and gets the reason. Drop the key, which isn't
      // needed any more.
      await changeSpill(db, entry, ({ key: _key, ...now }) => {
        const requests = isRefused ? now.requests.slice(0, now.answers.length) : now.requests
        return requests.length > 0 ? { ...now, requests } : undefined
      })
    } catch (error) {
      fault ??= error
    }
  }
  if (fault !== undefined) throw fault
}

/**
 * Sends the requests of an entry. True if the mirror refuses a request, or there is no key; throws if the
 * request may be repeated later. `keep` stores the answer to the next request.
 */
async function sendEntry(
  entry: SpillEntry,
  options: BackgroundSyncOptions,
  keep: (answer: string) => Promise<void>,
  isCurrent: () => Promise<boolean>,
): Promise<boolean> {
  const waiting = entry.requests.slice(entry.answers.length)
  if (waiting.length === 0) return false
  const { book, url } = entry
  const key = (await options.key?.({ book, url })) ?? entry.key
  if (key === undefined) return true
  for (const body of waiting) {
    // The book may have withdrawn these requests, because their records were forgotten or sealed.
    if (!(await isCurrent())) return false
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(Math.max(deadlineMs, body.length)),
    })
    if (response.status === 429 || response.status >= 500)
      throw new Error(`The mirror answered with status ${response.status}.`)
    if (!response.ok) return true
    await keep(await response.text())
  }
  return false
}
