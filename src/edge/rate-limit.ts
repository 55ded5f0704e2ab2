// Rate limits: token buckets in memory, and buckets of one book's callers, which the book's database stores.
// Invariant: a clock that was set back neither refills a bucket nor stops its refill. A caller's bucket is exact while
// it is in memory; if the host drops the object, at most one second of spending is lost.
import { DaybookError } from '../core/errors.ts'
import type { Clock, SqlDatabase } from '../core/ports.ts'
import { openRateBuckets } from '../store/mirror/caller-rows.ts'

export interface Rate {
  /** Maximum number of requests at once. */
  readonly burst: number
  /** Refill: requests per second. */
  readonly perSecond: number
}

/** Tokens in a bucket at a time (milliseconds since 1970 UTC). */
interface Bucket {
  readonly remaining: number
  readonly atMs: number
}

/** Returns the tokens in a bucket now. An undefined bucket is full. */
export function tokensLeft(bucket: Bucket | undefined, { burst, perSecond }: Rate, nowMs: number): number {
  if (!bucket) return burst
  const passedS = Math.max(0, nowMs - bucket.atMs) / 1000
  return Math.min(burst, bucket.remaining + passedS * perSecond)
}

/** Milliseconds in which an empty bucket becomes full. */
const refillMs = ({ burst, perSecond }: Rate) => (burst / perSecond) * 1000

/** Buckets by name, in memory. Full buckets are removed. */
export class TokenBuckets {
  readonly #rate: Rate
  readonly #clock: Clock
  readonly #buckets = new Map<string, Bucket>()

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate
    this.#clock = clock
  }

  /** Takes `cost` from the bucket of `name`. False: the bucket had less, and is now empty. */
  take(name: string, cost = 1): boolean {
    const nowMs = this.#clock.now()
    const tokens = tokensLeft(this.#buckets.get(name), this.#rate, nowMs)
    // Delete first, so that the map stays in the order of last use: full buckets come first.
    this.#buckets.delete(name)
    this.#buckets.set(name, { remaining: Math.max(0, tokens - cost), atMs: nowMs })
    this.#forgetFull(nowMs)
    return tokens >= cost
  }

  #forgetFull(nowMs: number): void {
    for (const [name, { remaining, atMs }] of this.#buckets) {
      if (atMs > nowMs) {
        // The clock was set back: count from now, else nothing is removed before it is at `atMs` again.
        this.#buckets.set(name, { remaining, atMs: nowMs })
        continue
      }
      // This bucket and all later ones were used recently.
      if (nowMs - atMs < refillMs(this.#rate)) return
      this.#buckets.delete(name)
    }
  }
}

/** Default rate: permits a first sync of 100,000 records at once. An idle device sends a few requests per hour. */
export const defaultRate: Rate = { burst: 2000, perSecond: 20 }

/** A bucket in memory is saved at most once in this time, because a write costs more than most requests. */
const saveIntervalMs = 1000

/** Buckets of one book's callers. The book's database stores them. */
export class CallerRates {
  readonly #storedBuckets: ReturnType<typeof openRateBuckets>
  readonly #clock: Clock
  readonly #rate: Rate
  /** Buckets in memory, by caller. `savedMs`: time of the last save; 0 before the first. */
  readonly #buckets = new Map<string, Bucket & { readonly savedMs: number }>()

  constructor(db: SqlDatabase, clock: Clock, rate: Rate) {
    this.#storedBuckets = openRateBuckets(db)
    this.#clock = clock
    this.#rate = rate
  }

  /**
   * Takes `cost` from the caller's bucket. If it has less: takes nothing, throws `rate-limited` with `retryAfterMs`.
   */
  charge(caller: string, cost = 1): void {
    const atMs = this.#clock.now()
    const bucket = this.#buckets.get(caller)
    const stored = bucket ?? this.#storedBuckets.read(caller)
    const tokens = tokensLeft(stored, this.#rate, atMs)
    const hasEnough = tokens >= cost
    const savedMs = bucket?.savedMs ?? 0
    // The clock was set back since an earlier object stored the bucket: count from now.
    const isAhead = stored !== undefined && stored.atMs > atMs
    const mustSave = isAhead || (hasEnough && Math.abs(atMs - savedMs) >= saveIntervalMs)
    const remaining = hasEnough ? tokens - cost : tokens
    this.#buckets.set(caller, { remaining, atMs, savedMs: mustSave ? atMs : savedMs })
    if (mustSave) this.#storedBuckets.save(caller, { remaining, atMs })
    if (hasEnough) return
    const retryAfterMs = Math.ceil(((cost - remaining) / this.#rate.perSecond) * 1000)
    throw new DaybookError('rate-limited', undefined, { details: { retryAfterMs } })
  }

  /** Removes full buckets. Returns the number of remaining ones. */
  removeFullBuckets(): number {
    const before = this.#clock.now() - refillMs(this.#rate)
    for (const [caller, { atMs }] of this.#buckets) if (atMs < before) this.#buckets.delete(caller)
    return this.#storedBuckets.removeBefore(before)
  }
}

/** Reads `DAYBOOK_RATE`, burst and requests per second, as in `2000/20`. Throws `internal` for another form. */
export function parseRate(text: string | undefined): Rate {
  if (text === undefined || text === '') return defaultRate
  const [burst = 0, perSecond = 0] = (/^(\d{1,7})\/(\d{1,6}(?:\.\d{1,3})?)$/.exec(text) ?? [])
    .slice(1)
    .map(Number)
  if (burst >= 1 && perSecond > 0) return { burst, perSecond }
  throw new DaybookError(
    'internal',
    '`DAYBOOK_RATE` must look like `2000/20`: burst and requests per second.',
  )
}
