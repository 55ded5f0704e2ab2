// The state of sync, in a few words and in a sentence. Offline is a normal state.
import type { SyncState } from '../../src/index.ts'
import { countOf } from './text-word.ts'
import { relativeTime } from './time-word.ts'

export type SyncMood = 'off' | 'busy' | 'good' | 'waiting' | 'offline' | 'failed'

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
export const refusals: Readonly<Record<string, Pick<SyncWords, 'short' | 'long'>>> = {
  unauthorized: {
    short: 'key rejected',
    long: 'The edge rejected the key. Sync has stopped. Changes wait here until you set a valid key.',
  },
  'book-erased': {
    short: 'erased at the edge',
    long: 'The book was erased at the edge. Sync has stopped. The copy on this device remains.',
  },
}
