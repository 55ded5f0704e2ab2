// How much each caller may ask of one book: a token bucket for each, in the book's own database.
// Invariant: a bucket is exact as long as the host keeps this in memory, and at most a second of spending is forgotten when the
// host throws it away.
import { DaybookError } from '../core/errors.ts'
import type { Clock, SqlDatabase } from '../core/ports.ts'
import { leftIn, type Rate } from './token-bucket.ts'
import { openRateBuckets } from '../store/mirror/caller-rows.ts'

/** Enough for a first sync of 100,000 records in one go; a device at rest asks a few times an hour. */
export const usualRate: Rate = { burst: 2000, perSecond: 20 }

export interface RateLimit {
  /** Takes `cost` out of the caller's bucket, or throws `rate-limited` with `retryAfterMs`, and then takes nothing. */
  spend(caller: string, cost?: number): void
  /** Removes the buckets that are full again; answers how many others there are. */
  tidy(): number
}

interface Bucket {
  left: number
  atMs: number
  savedMs: number
}

const saveEveryMs = 1000

/** Buckets in `db`, filled at `rate`. */
export function createRateLimit(db: SqlDatabase, clock: Clock, rate: Rate): RateLimit {
  const saved = openRateBuckets(db)
  const buckets = new Map<string, Bucket>()
  const read = (caller: string): Bucket => {
    const { left, atMs } = saved.read(caller) ?? { left: rate.burst, atMs: clock.now() }
    return { left, atMs, savedMs: 0 }
  }
  return {
    spend(caller, cost = 1) {
      const bucket = buckets.get(caller) ?? read(caller)
      buckets.set(caller, bucket)
      const now = clock.now()
      bucket.left = leftIn(bucket, rate, now)
      bucket.atMs = now
      if (bucket.left < cost) {
        const retryAfterMs = Math.ceil(((cost - bucket.left) / rate.perSecond) * 1000)
        throw new DaybookError('rate-limited', undefined, { details: { retryAfterMs } })
      }
      bucket.left -= cost
      if (now - bucket.savedMs < saveEveryMs) return
      bucket.savedMs = now
      saved.save(caller, bucket)
    },
    tidy() {
      const fullAfterMs = (rate.burst / rate.perSecond) * 1000
      const before = clock.now() - fullAfterMs
      for (const [caller, { atMs }] of buckets) if (atMs < before) buckets.delete(caller)
      return saved.forgetBefore(before)
    },
  }
}

/** Reads `DAYBOOK_RATE`: burst and requests a second, as in `2000/20`. */
export function readRate(text: string | undefined): Rate {
  if (text === undefined || text === '') return usualRate
  const [burst = 0, perSecond = 0] = (/^(\d{1,7})\/(\d{1,6}(?:\.\d{1,3})?)$/.exec(text) ?? [])
    .slice(1)
    .map(Number)
  if (burst >= 1 && perSecond > 0) return { burst, perSecond }
  throw new DaybookError('internal', 'DAYBOOK_RATE is not like `2000/20`: burst and requests a second.')
}
