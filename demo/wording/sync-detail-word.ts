// The details of sync in words, for its own view.
import type { SyncState } from '../../src/index.ts'
import { refusals } from './sync-word.ts'

/** How pending changes are sent when every page is closed. */
export const backgroundWords: Readonly<Record<NonNullable<SyncState['background']>, string>> = {
  ready: 'available',
  handed: 'the browser sends pending changes',
  missing: 'sent when the book is next opened (no Background Sync in this browser)',
}

/** True if the words for the state say all that the error says. */
export const isExplained = (code: string): boolean => code === 'offline' || code in refusals

const lineWords: Readonly<Record<NonNullable<SyncState['live']>, string>> = {
  open: 'connected',
  connecting: 'connecting',
  waiting: 'disconnected, will reconnect',
  resting: 'paused in background or offline',
  refused: 'rejected by the edge',
}

/** The state of the line to the edge. */
export function lineWord({ live }: SyncState): string {
  return live === undefined ? 'none' : lineWords[live]
}
