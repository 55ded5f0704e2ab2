// The words for how syncing stands never say two things: while the edge refuses, nothing is up to date.
import { expect, it } from 'vitest'
import type { SyncState } from '../../../../src/index.ts'
import { syncStateWords } from '../../../../demo/wording/sync-word.ts'

const nowMs = Date.parse('2026-11-23T12:00:00.000Z')
const synced: SyncState = {
  configured: true,
  phase: 'idle',
  running: false,
  pending: 0,
  refused: 0,
  conflicts: 0,
  repairs: 0,
  lastSyncedAt: '2026-11-23T11:59:30.000Z',
}
const moodOf = (more: Partial<SyncState>) => syncStateWords({ ...synced, ...more }, nowMs)

it('says up to date only while nothing waits and the last sync ended well', () => {
  expect(moodOf({})).toEqual({
    mood: 'good',
    short: 'synced 30 s ago',
    long: 'Last synced 30 s ago. Up to date.',
  })
  const others: Partial<SyncState>[] = [
    { configured: false, phase: 'off' },
    { running: true, phase: 'running' },
    { phase: 'offline' },
    { phase: 'stopped', lastError: { code: 'unauthorized', message: 'The key is not the one of the edge.' } },
    { phase: 'waiting', lastError: { code: 'rate-limited', message: 'Too many.' } },
    { pending: 3 },
  ]
  for (const state of others) {
    const { mood, long } = moodOf(state)
    expect(mood, JSON.stringify(state)).not.toBe('good')
    expect(long, JSON.stringify(state)).not.toMatch(/up to date|in sync/i)
  }
})

it('calls a wrong key a failure, though there was a sync before it and nothing waits', () => {
  const lastError = { code: 'unauthorized', message: 'The key is not the one of the edge.' }
  expect(moodOf({ phase: 'stopped', lastError })).toMatchObject({ mood: 'failed', short: 'key rejected' })
})
