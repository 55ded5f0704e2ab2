// Syncing from this page: quietly when it wakes, and when the reader asks. Being offline is a state, not an error.
import { effect, signal } from '@preact/signals'
import { isDaybookError, type SyncResult } from '../../../src/index.ts'
import { countOf } from '../../wording/text-word.ts'
import { book, openedBook } from '../book.ts'
import { refreshStatus, status } from '../status.ts'
import { tell, tellError } from '../../page/toast.ts'

/** The result of the last sync of this page that came to an end. */
export const lastResult = signal<SyncResult | undefined>(undefined)

const wakeEveryMs = 60_000
let wokeAt = 0

/** Syncs because the reader asked, and says how it went. */
export async function syncNow(): Promise<void> {
  try {
    const result = await (await openedBook()).sync()
    lastResult.value = result
    tell(syncWords(result))
  } catch (error) {
    // What an earlier sync said would contradict what this one met.
    lastResult.value = undefined
    if (isDaybookError(error, 'offline'))
      tell('The edge cannot be reached. Pending changes are kept and sent at the next sync.')
    else tellError('The book could not be synced.', error)
  } finally {
    refreshStatus()
  }
}

export function syncWords({ pulled, pushed, conflicts }: SyncResult): string {
  if (pulled === 0 && pushed === 0) return 'Up to date. Nothing to send or fetch.'
  const both = `Synced. ${countOf(pushed, 'change')} sent, ${countOf(pulled, 'change')} fetched`
  return conflicts > 0 ? `${both}, ${countOf(conflicts, 'conflict')}.` : `${both}.`
}

async function wake(): Promise<void> {
  const current = book.peek()
  if (!current || Date.now() - wokeAt < wakeEveryMs) return
  wokeAt = Date.now()
  try {
    const { sync } = await current.status()
    if (!sync.configured) return
    lastResult.value = await current.sync()
  } catch (error) {
    lastResult.value = undefined
    // Told by the state of sync, which the status bar shows.
    if (!isDaybookError(error)) throw error
  }
}

effect(() => {
  wokeAt = 0
  if (book.value) void wake()
})
addEventListener('online', () => void wake())
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && status.peek()) void wake()
})
