// How much each caller may ask over the a2p protocol, and what it is told of that: the protocol's own numbers, as token buckets.
// Invariant: a request is let through when none of its buckets is empty, and what is told is of the one with the least left.
import { DaybookError } from '../../core/errors.ts'

/** What is counted apart, each with an allowance of its own for an hour. */
export const hourly = {
  read: 100,
  propose: 20,
  write: 50,
  policy: 10,
  consent: 30,
} as const

/** `other` is counted with all else, and not apart. */
export type Operation = keyof typeof hourly | 'other'

export interface RateBucket {
  /** Of all buckets of one caller. */
  readonly name: string
  /** What the protocol calls the limit: what fits into the bucket is more where it lets requests come at once. */
  readonly limit: number
  readonly burst: number
  readonly perSecond: number
}

/** Requests a minute and an hour, of each caller. */
export interface AgentRate {
  readonly perMinute: number
  readonly perHour: number
}

export const usualAgentRate: AgentRate = { perMinute: 60, perHour: 1000 }
/** So much of a minute's requests may come at once. */
const burstFactor = 1.5

/** The buckets that a request pays from. */
export function bucketsOf(operation: Operation, { perMinute, perHour }: AgentRate): readonly RateBucket[] {
  const anHour = (name: string, limit: number) => ({ name, limit, burst: limit, perSecond: limit / 3600 })
  const all = [
    {
      name: 'minute',
      limit: perMinute,
      burst: Math.ceil(perMinute * burstFactor),
      perSecond: perMinute / 60,
    },
    anHour('hour', perHour),
  ]
  return operation === 'other' ? all : [...all, anHour(operation, hourly[operation])]
}

/** What a caller is told: how many requests there are, how many are left, and when all of them will be again (Unix seconds). */
export interface RateState {
  readonly limit: number
  readonly remaining: number
  readonly resetS: number
  /** How long to wait for the next request, when there is none. */
  readonly retryAfterMs?: number
}

/** A bucket after a request: below 0 when there was nothing for it, by as much as it lacked. */
export interface BucketLeft {
  readonly bucket: RateBucket
  readonly left: number
}

/** What to tell of the buckets of a request. */
export function stateOf(paid: readonly BucketLeft[], nowMs: number): RateState {
  const [least] = paid.toSorted((one, other) => one.left - other.left)
  if (!least) throw new DaybookError('internal')
  const { bucket, left } = least
  const { limit, burst, perSecond } = bucket
  const resetS = Math.ceil(nowMs / 1000 + (burst - Math.max(0, left)) / perSecond)
  const state = { limit, remaining: Math.min(limit, Math.max(0, Math.floor(left))), resetS }
  return left < 0 ? { ...state, retryAfterMs: Math.ceil((-left / perSecond) * 1000) } : state
}

/** What there is for somebody of whom nothing is counted. */
export function untouched({ perMinute }: AgentRate, nowMs: number): RateState {
  return { limit: perMinute, remaining: perMinute, resetS: Math.ceil(nowMs / 1000) }
}

/** Reads `DAYBOOK_A2P_RATE`: requests a minute and an hour, as in `60/1000`. */
export function readAgentRate(text: string | undefined): AgentRate {
  if (text === undefined || text === '') return usualAgentRate
  const [perMinute = 0, perHour = 0] = (/^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? []).slice(1).map(Number)
  if (perMinute >= 1 && perHour >= 1) return { perMinute, perHour }
  throw new DaybookError('internal', 'DAYBOOK_A2P_RATE is not like `60/1000`: requests a minute and an hour.')
}
