// Rates and nonces of the a2p protocol. Rates are the protocol's own numbers, as token buckets.
// Invariants: nonces and buckets are stored in the book's database, so the next process and request see them. A
// request is charged to all of its buckets or, if one is empty, to none; the reported state is that of the bucket
// with the fewest tokens.
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { tokensLeft } from '../rate-limit.ts'
import { openAgentBuckets, openAgentNonces } from '../../store/mirror/caller-rows.ts'
import { DaybookError } from '../../core/errors.ts'

export interface AgentGate {
  /** Charges a request. If a bucket is empty, charges none, and the state has `retryAfterMs`. */
  charge(caller: string, operation: Operation): RateState | Promise<RateState>
  /** Stores an agent's nonce until `untilMs` (milliseconds since 1970 UTC); false if it is stored already. */
  takeNonce(agent: string, nonce: string, untilMs: number): boolean | Promise<boolean>
}

/** Time in which every empty bucket becomes full: those of the hour need an hour. */
export const longestRefillMs = 3_600_000

/** A gate in the book's own database. Every answer is saved before it is given. */
export class DatabaseAgentGate implements AgentGate {
  readonly #buckets: ReturnType<typeof openAgentBuckets>
  readonly #nonces: ReturnType<typeof openAgentNonces>
  readonly #clock: Clock
  readonly #rate: AgentRate

  constructor(db: SqlDatabase, clock: Clock, rate: AgentRate) {
    this.#buckets = openAgentBuckets(db)
    this.#nonces = openAgentNonces(db)
    this.#clock = clock
    this.#rate = rate
  }

  charge(caller: string, operation: Operation): RateState {
    const nowMs = this.#clock.now()
    const charges = bucketsOf(operation, this.#rate).map((bucket) => {
      const stored = this.#buckets.read(caller, bucket.name)
      // The clock was set back since: count from now, also for a refused request.
      const isAhead = stored !== undefined && stored.atMs > nowMs
      return { bucket, isAhead, remaining: tokensLeft(stored, bucket, nowMs) - 1 }
    })
    const isWithinRate = charges.every(({ remaining }) => remaining >= 0)
    for (const { bucket, isAhead, remaining } of charges)
      if (isWithinRate || isAhead)
        this.#buckets.save(caller, bucket.name, {
          // A refused request costs nothing.
          remaining: isWithinRate ? remaining : remaining + 1,
          atMs: nowMs,
        })
    return rateStateOf(charges, nowMs)
  }

  takeNonce(agent: string, nonce: string, untilMs: number): boolean {
    return this.#nonces.acceptOnce(agent, nonce, { untilMs, nowMs: this.#clock.now() })
  }

  /** Removes expired nonces and full buckets; returns how many remain. */
  sweep(): number {
    const nowMs = this.#clock.now()
    return this.#nonces.removeBefore(nowMs) + this.#buckets.removeBefore(nowMs - longestRefillMs)
  }
}

/** Requests per hour of the operations that have a limit of their own. */
const hourlyLimits = {
  read: 100,
  propose: 20,
  write: 50,
  policy: 10,
  consent: 30,
} as const

/** `other` has no limit of its own. */
export type Operation = keyof typeof hourlyLimits | 'other'

export interface RateBucket {
  /** Unique among the caller's buckets. */
  readonly name: string
  /** The limit as reported to the caller. */
  readonly limit: number
  /** Tokens of a full bucket, which may be more than `limit`. */
  readonly burst: number
  /** Refill: tokens per second. */
  readonly perSecond: number
}

/** Requests per minute and per hour, for each caller. */
export interface AgentRate {
  readonly perMinute: number
  readonly perHour: number
}

export const defaultAgentRate: AgentRate = { perMinute: 60, perHour: 1000 }
/** The minute bucket holds this many minutes of requests. */
const minuteBucketFactor = 1.5

/** Buckets that a request is charged to. */
export function bucketsOf(operation: Operation, { perMinute, perHour }: AgentRate): readonly RateBucket[] {
  const hourBucket = (name: string, limit: number) => ({ name, limit, burst: limit, perSecond: limit / 3600 })
  const callerBuckets = [
    {
      name: 'minute',
      limit: perMinute,
      burst: Math.ceil(perMinute * minuteBucketFactor),
      perSecond: perMinute / 60,
    },
    hourBucket('hour', perHour),
  ]
  return operation === 'other'
    ? callerBuckets
    : [...callerBuckets, hourBucket(operation, hourlyLimits[operation])]
}

/** The rate as reported: limit, remaining requests, and time at which all are available again (Unix seconds). */
export interface RateState {
  readonly limit: number
  readonly remaining: number
  readonly resetS: number
  /** Wait before the next request, if none remains. */
  readonly retryAfterMs?: number
}

interface BucketCharge {
  readonly bucket: RateBucket
  /** Tokens left if the request is charged; negative: the bucket has no token for the request, which is refused. */
  readonly remaining: number
}

/** The state to report for the buckets of a request. */
export function rateStateOf(charges: readonly BucketCharge[], nowMs: number): RateState {
  const [least] = charges.toSorted((one, other) => one.remaining - other.remaining)
  if (!least) throw new DaybookError('internal')
  const { bucket, remaining } = least
  const { limit, burst, perSecond } = bucket
  const resetS = Math.ceil(nowMs / 1000 + (burst - Math.max(0, remaining)) / perSecond)
  const state = { limit, remaining: Math.min(limit, Math.max(0, Math.floor(remaining))), resetS }
  // With two empty buckets, wait for the slower one.
  const waitsMs = charges.map((one) => (Math.max(0, -one.remaining) / one.bucket.perSecond) * 1000)
  return remaining < 0 ? { ...state, retryAfterMs: Math.ceil(Math.max(...waitsMs)) } : state
}

/** The state reported to a caller without a limit. */
export function fullRateState({ perMinute }: AgentRate, nowMs: number): RateState {
  return { limit: perMinute, remaining: perMinute, resetS: Math.ceil(nowMs / 1000) }
}

/** Reads `DAYBOOK_A2P_RATE`: requests per minute and per hour, as in `60/1000`. */
export function parseAgentRate(text: string | undefined): AgentRate {
  if (text === undefined || text === '') return defaultAgentRate
  const [perMinute = 0, perHour = 0] = (/^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? []).slice(1).map(Number)
  if (perMinute >= 1 && perHour >= 1) return { perMinute, perHour }
  throw new DaybookError(
    'internal',
    '`DAYBOOK_A2P_RATE` must look like `60/1000`: requests per minute and per hour.',
  )
}
