// The state of sync, in a few words and in a sentence. Offline is a normal state.
import type { SyncState } from '../../src/index.ts'
import { countOf } from './text-word.ts'
import { relativeTime } from './time-word.ts'

export type SyncMood = 'off' | 'busy' | 'good' | 'waiting' | 'offline' | 'failed'

/** How pending changes are sent when every page is closed. */
export const backgroundWords: Readonly<Record<NonNullable<SyncState['background']>, string>> = {
  ready: 'available',
  handed: 'the browser sends pending changes',
  missing: 'sent when the book is next opened (no Background Sync in this browser)',
}

export interface SyncWords {
  readonly mood: SyncMood
  readonly short: string
  readonly long: string
}

export function syncStateWords(sync: SyncState, nowMs: number): SyncWords {
  const waiting = sync.pending > 0 ? `${countOf(sync.pending, 'change')} waiting` : ''
  const ago = sync.lastSyncedAt === undefined ? undefined : relativeTime(sync.lastSyncedAt, nowMs)
  if (!sync.configured) {
    return {
      mood: 'off',
      short: 'sync off',
      long: 'Sync is off. Data stays in this browser.',
    }
  }
  if (sync.running)
    return {
      mood: 'busy',
      short: 'syncing…',
      long: 'Sending what the edge has not seen and fetching what is new there.',
    }
  if (sync.phase === 'offline') {
    const long = 'The edge cannot be reached. Everything works as usual; what waits is sent at the next sync.'
    return { mood: 'offline', short: waiting === '' ? 'offline' : `offline · ${waiting}`, long }
  }
  const refusal = refusals[sync.lastError?.code ?? '']
  if (refusal) return { mood: 'failed', ...refusal }
  if (sync.lastError)
    return {
      mood: 'failed',
      short: 'sync failed',
      long: 'The last sync failed. Pending changes are kept and sent at the next one.',
    }
  if (ago === undefined)
    return {
      mood: 'waiting',
      short: 'not synced yet',
      long: 'This book has not been synced with the edge yet.',
    }
  if (waiting !== '')
    return {
      mood: 'waiting',
      short: `${waiting} · synced ${ago}`,
      long: `Last synced ${ago}. ${waiting} for the next sync.`,
    }
  return { mood: 'good', short: `synced ${ago}`, long: `Last synced ${ago}. Up to date.` }
}

/** Refusals that end only when a person acts. */
const refusals: Readonly<Record<string, Pick<SyncWords, 'short' | 'long'>>> = {
  unauthorized: {
    short: 'key rejected',
    long: 'The edge rejected the key. Sync has stopped. Changes wait here until you set a valid key.',
  },
  'book-erased': {
    short: 'erased at the edge',
    long: 'The book was erased at the edge. Sync has stopped. The copy on this device remains.',
  },
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
