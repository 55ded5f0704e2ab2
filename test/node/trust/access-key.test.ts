// What must hold of access keys, grants and rates whatever comes: nothing that is no key is read as one, no grant
// reaches the owner's kinds, and nobody gets more out of a bucket than was in it and has run in since.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kinds } from '../../../src/engine/capability-table.ts'
import { isDaybookError } from '../../../src/core/errors.ts'
import { isRecordId } from '../../../src/core/ids.ts'
import { migrate } from '../../../src/store/schema/version.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { createSyncReach, withinReach } from '../../../src/sync/mirror/sync-reach.ts'
import type { SyncRequest } from '../../../src/sync/wire/protocol.ts'
import { parseAccessKeyId, hasAccessKeyPrefix, makeAccessKey } from '../../../src/trust/access-key.ts'
import { CallerRates } from '../../../src/edge/rate-limit.ts'

const seed = 20_261_120

describe('an access key', () => {
  it('is read back as the id of its record, and nothing next to it is', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 44, maxLength: 44 }),
        fc.nat(70),
        fc.string({ maxLength: 3 }),
        (bytes, at, text) => {
          let taken = 0
          const { id, key } = makeAccessKey((count) => bytes.slice(taken, (taken += count)))
          expect([parseAccessKeyId(key), hasAccessKeyPrefix(key), isRecordId(id)]).toEqual([id, true, true])
          expect(/^[A-Za-z0-9._~+/-]+=*$/.test(key)).toBe(true)
          const bent = key.slice(0, at) + text + key.slice(at)
          if (bent !== key && text !== '') expect(parseAccessKeyId(bent)).toBeUndefined()
          expect(parseAccessKeyId(key.slice(0, at))).toBe(at >= key.length ? id : undefined)
        },
      ),
      { seed },
    )
    fc.assert(
      fc.property(fc.string(), (text) => parseAccessKeyId(text) === undefined),
      { seed },
    )
  })
})

describe('the reach of a sync', () => {
  const guest = { agent: 'sensor', permissions: ['sync'] }
  const names = fc.constantFrom(...kinds.keys(), 'unheard-of', '')
  const lists = fc.option(fc.array(names, { maxLength: 8 }), { nil: undefined })

  it('K3 never lets a guest send what is the owner’s, nor more than was granted', () => {
    fc.assert(
      fc.property(lists, lists, names, (push, pull, kind) => {
        const { mayPush, mayPull, fetchableKinds } = createSyncReach(
          { ...guest, granted: { push, pull } },
          kinds,
        )
        const guests = kinds.get(kind)?.guests
        if (guests !== undefined) expect(mayPush(kind)).toBe(false)
        if (mayPush(kind)) expect(push?.includes(kind) ?? kinds.has(kind)).toBe(true)
        if (mayPull(kind)) expect(pull?.includes(kind) ?? guests !== 'none').toBe(true)
        expect(fetchableKinds.every((one) => mayPull(one))).toBe(true)
      }),
      { seed },
    )
  })

  it('K3 fetches what it names when it may, everything it may when it names nothing, and is refused otherwise', () => {
    fc.assert(
      fc.property(lists, lists, (pull, asked) => {
        const reach = createSyncReach({ ...guest, granted: { pull } }, kinds)
        const request = { pull: { cursor: 0, limit: 1, maxBytes: 1, kinds: asked } } as unknown as SyncRequest
        try {
          const { kinds: given } = withinReach(request, reach).pull
          expect(given).toEqual(asked ?? reach.fetchableKinds)
          expect(given?.every((kind) => reach.mayPull(kind))).toBe(true)
        } catch (error) {
          if (!isDaybookError(error, 'forbidden')) throw error
          expect(asked?.every((kind) => reach.mayPull(kind))).toBe(false)
        }
      }),
      { seed },
    )
  })
})

describe('a token bucket', () => {
  it('gives out no more than it held and what ran in since, and says truly when there is more', () => {
    const db = openNodeDatabase({ path: ':memory:' })
    migrate(db, '2026-01-01T00:00:00.000Z')
    let caller = 0
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.tuple(fc.integer({ min: -2000, max: 5000 }), fc.nat(5)), { maxLength: 40 }),
        (burst, perSecond, steps) => {
          let nowMs = 1_000_000
          const limit = new CallerRates(db, { now: () => nowMs }, { burst, perSecond })
          const name = `caller-${++caller}`
          let [spent, forward, furthest] = [0, 0, nowMs]
          for (const [passMs, times] of steps) {
            nowMs += passMs
            // Time that runs again after the clock was set back may count again.
            if (passMs > 0) forward += passMs
            furthest = Math.max(furthest, nowMs)
            for (let i = 0; i < times; i++) {
              try {
                limit.charge(name)
                spent += 1
              } catch (error) {
                if (!isDaybookError(error, 'rate-limited')) throw error
                const waitMs = Number(error.details['retryAfterMs'])
                expect(waitMs).toBeGreaterThan(0)
                nowMs += waitMs
                forward += waitMs
                limit.charge(name)
                spent += 1
              }
            }
            expect(spent).toBeLessThanOrEqual(burst + (forward / 1000) * perSecond + 1e-6)
          }
        },
      ),
      { seed },
    )
    db.close()
  })
})
