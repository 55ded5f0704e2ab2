// `daybook/service-worker`: sends what books of this origin have left to be sent, while no page of them is open.
// Invariant: what is sent are the bytes as they were left, in their order, and what was answered is left as it came: the
// book takes it over when it is next opened.
import { functionOption, optionsOf } from '../../core/option/option-check.ts'
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
   * Fetches the key of a book when there is something to send, for example from the app's own server with its session
   * cookie. Default: the key that the book was given for this, as `sync: { background: { key } }`.
   */
  readonly key?: (waiting: { readonly book: string; readonly url: string }) => Promise<string>
}

const checkOptions = optionsOf<BackgroundSyncOptions>({ key: functionOption })

export { backgroundSyncTag }

interface SyncEvent extends Event {
  readonly tag: string
  waitUntil(work: Promise<unknown>): void
}

/** Requests that get no answer within this long are tried again at the next event. */
const deadlineMs = 60_000

/**
 * Answers the `sync` events of the browser. Call it when the service worker is first run, not later.
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
 * Sends everything that waits, for a service worker that has a `sync` listener of its own. Rejects when something was not
 * sent and may be later: the browser then fires the event again.
 */
export function sendSpilled(options: BackgroundSyncOptions = {}): Promise<void> {
  checkOptions(options, '')
  // Events may come while an earlier one is being answered.
  return navigator.locks.request('daybook:spill', () => withSpills((db) => sendEntries(db, options)))
}

async function sendEntries(db: SpillDatabase, options: BackgroundSyncOptions): Promise<void> {
  let fault: unknown
  for (const entry of await readSpills(db)) {
    const keep = (answer: string) =>
      changeSpill(db, entry, (now) => ({ ...now, answers: [...now.answers, answer] }))
    try {
      const isRefused = await sendEntry(entry, options, keep, () => isCurrent(db, entry))
      // What is refused the book sends itself and learns why. The key has done its work in either case.
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

/** True when the mirror will not take it from here; throws when it may later. */
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
    // The book may have withdrawn these requests since they were read: what they say was forgotten or sealed.
    if (!(await isCurrent())) return false
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMs),
    })
    if (response.status === 429 || response.status >= 500)
      throw new Error(`The mirror answered with status ${response.status}.`)
    if (!response.ok) return true
    await keep(await response.text())
  }
  return false
}
