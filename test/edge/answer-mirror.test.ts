// What a mirror answers at its door, as a Durable Object over RPC.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, vi } from 'vitest'
import type { MirrorDoor } from '../../src/edge/mirror-door.ts'
import { answerMirrorCases } from '../contract/mirror/answer-mirror.ts'
import { guestBoundCases } from '../contract/mirror/guest-bound.ts'

const rows = (book: string, sql: string, ...values: string[]) =>
  runInDurableObject(env.MIRROR.getByName(book), (_object, { storage }) =>
    storage.sql.exec(sql, ...values).toArray(),
  )

const evict = (book: string) => evictDurableObject(env.MIRROR.getByName(book))

describe('A mirror at its door: a Durable Object', () => {
  answerMirrorCases({
    door: (book): MirrorDoor => env.MIRROR.getByName(book),
    move: evict,
    isMade: async (book) =>
      (await rows(book, "SELECT 1 FROM sqlite_master WHERE name = 'records'")).length > 0,
    async empty(book, callers) {
      // The object is thrown away with the buckets that it has in memory. What runs into these while a test lasts is too little.
      await evict(book)
      const sql = 'UPDATE rate_buckets SET remaining = -1e6 WHERE caller = ? RETURNING caller'
      for (const caller of callers) expect(await rows(book, sql, caller)).toHaveLength(1)
    },
  })
  guestBoundCases({
    door: (book): MirrorDoor => env.MIRROR.getByName(book),
    move: evict,
    keptTime: async (book) =>
      Number((await rows(book, "SELECT value FROM book WHERE key = 'time_seen'"))[0]?.['value'] ?? 0),
    async later(ms, work) {
      const now = Date.now()
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now + ms)
      try {
        return await work()
      } finally {
        clock.mockRestore()
      }
    },
  })
})
