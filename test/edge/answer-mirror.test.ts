// What a mirror answers at its door, as a Durable Object over RPC: one that was thrown away before each request.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect } from 'vitest'
import type { MirrorDoor } from '../../src/edge/mirror-door.ts'
import { answerMirrorCases } from '../contract/mirror/answer-mirror.ts'

const rows = (book: string, sql: string, ...values: (string | number)[]) =>
  runInDurableObject(env.MIRROR.getByName(book), (_object, { storage }) =>
    storage.sql.exec(sql, ...values).toArray(),
  )

describe('A mirror at its door: a Durable Object', () => {
  answerMirrorCases({
    async door(book): Promise<MirrorDoor> {
      await evictDurableObject(env.MIRROR.getByName(book))
      return env.MIRROR.getByName(book)
    },
    isMade: async (book) =>
      (await rows(book, "SELECT 1 FROM sqlite_master WHERE name = 'records'")).length > 0,
    async empty(book, caller) {
      // As it is thrown away with what it has in memory; and nothing runs into a bucket whose time is still to come.
      await evictDurableObject(env.MIRROR.getByName(book))
      const sql = 'UPDATE rate_buckets SET left_over = 0, at_ms = ? WHERE caller = ? RETURNING caller'
      expect(await rows(book, sql, Date.now() + 3_600_000, caller)).toHaveLength(1)
    },
  })
})
