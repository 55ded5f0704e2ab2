// Conditions under which a policy allows anything. Invariants: an unknown or unreadable condition is not met; and
// conditions never lift a denial, which applies at any time and over any transport.
import { z } from 'zod'
import type { UnmetCondition, CallWay } from '../../../core/access/governed.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Zone } from '../../../core/zone.ts'
import { parseDuration } from '../../../core/time.ts'

const minuteMs = 60_000
const dayMinutes = 1440

/** `08:30` in minutes of the day. */
function minuteOf(time: string): number {
  const [hours = '', minutes = ''] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

const time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'is not a time of day from 00:00 to 23:59')
const zoneName = z.string().min(1).max(100)
const span = z
  .string()
  .max(7)
  .refine((text) => (parseDuration(text) ?? 0) > 0, 'is not a span such as 30s, 15m, 1h or 7d')

/** Longest window in which calls are counted. */
const windowLimitMs = 7 * dayMinutes * minuteMs

export const conditionShape = {
  /** True: a call over a network must use HTTPS, or come from this machine. */
  requireHttps: z.boolean().optional(),
  /**
   * From `start` until before `end`, across midnight if `end` is earlier. In `timezone`, by default that of the book.
   */
  timeOfDay: z
    .strictObject({ start: time, end: time, timezone: zoneName.optional() })
    .refine(({ start, end }) => start !== end, {
      path: ['end'],
      message: 'is the same as `start`: pass another time',
    })
    .optional(),
  /** Most calls of an agent in the window that ends with its call, at each copy of the book. */
  rateLimit: z
    .strictObject({
      requests: z.number().int().min(1).max(100_000),
      window: span.refine((text) => (parseDuration(text) ?? 0) <= windowLimitMs, 'is longer than 7d'),
    })
    .optional(),
  /** How long the reader may keep the data. Passed to the reader; it can't be enforced. */
  maxDataRetention: z
    .string()
    .regex(/^(?:session_only|\d{1,4}[hdwmy])$/, 'is not session_only or a span such as 24h, 7d or 1y')
    .optional(),
} as const

const conditionsShape = z.strictObject(conditionShape)
export type Conditions = z.output<typeof conditionsShape>

/** Parses stored conditions, of this or another version; undefined if one is unknown or unreadable. */
export function readConditions(
  stored: Readonly<Record<string, unknown>> | undefined,
): Conditions | undefined {
  return conditionsShape.safeParse(stored ?? {}).data
}

/** A call of an agent, as far as conditions depend on it. */
export interface Circumstances {
  readonly nowMs: number
  /** Latest known time, which ends policies. Default `nowMs`. */
  readonly latestMs?: number
  readonly way: CallWay
  /** The zone of that name; undefined if unknown here. */
  zone(name: string | undefined): Zone | undefined
  /** Number of the agent's calls here since that instant, this one included. */
  calls(sinceMs: number): number
}

/** A call, with cached clocks and counts for all policies. */
export interface Instant {
  readonly nowMs: number
  readonly latestMs: number
  readonly way: CallWay
  /** Local time in the zone of that name, in minutes of the day; undefined if unknown here. */
  minuteAt(zone: string | undefined): number | undefined
  callsWithin(windowMs: number): number
}

export function instantOf({ nowMs, latestMs = nowMs, way, zone, calls }: Circumstances): Instant {
  const minutes = new Map<string | undefined, number | undefined>()
  const counts = new Map<number, number>()
  return {
    nowMs,
    latestMs,
    way,
    minuteAt(name) {
      if (minutes.has(name)) return minutes.get(name)
      const place = zone(name)
      const minute = place && minuteOfDay(nowMs, place)
      minutes.set(name, minute)
      return minute
    },
    callsWithin(windowMs) {
      const count = counts.get(windowMs) ?? calls(nowMs - windowMs)
      counts.set(windowMs, count)
      return count
    },
  }
}

/** Returns the first unmet condition of a call; undefined if all are met. */
export type Unmet = (call: Instant) => UnmetCondition | undefined

/** Compiles conditions for many calls. */
export function compileConditions(conditions: Conditions | undefined): Unmet {
  if (!conditions) return () => 'unknown'
  const { requireHttps = false, timeOfDay } = conditions
  const limit = rateLimitOf(conditions)
  const hours = timeOfDay && { from: minuteOf(timeOfDay.start), to: minuteOf(timeOfDay.end) }
  return (call) => {
    if (requireHttps && call.way === 'http') return 'requireHttps'
    if (hours) {
      const minute = call.minuteAt(timeOfDay.timezone)
      if (minute === undefined || !isWithin(hours, minute)) return 'timeOfDay'
    }
    if (limit && call.callsWithin(limit.windowMs) > limit.requests) return 'rateLimit'
    return undefined
  }
}

/** The rate limit of a policy. */
export function rateLimitOf({ rateLimit }: Conditions) {
  return rateLimit && { requests: rateLimit.requests, windowMs: parseDuration(rateLimit.window) ?? 0 }
}

/** The first unmet condition; undefined if all are met. */
export function unmetCondition(
  conditions: Conditions | undefined,
  circumstances: Circumstances,
): UnmetCondition | undefined {
  return compileConditions(conditions)(instantOf(circumstances))
}

/** Local time in `zone`, in minutes of the day. */
function minuteOfDay(ms: number, zone: Zone): number {
  const local = Math.floor((ms + zone.offsetAt(ms)) / minuteMs)
  return ((local % dayMinutes) + dayMinutes) % dayMinutes
}

function isWithin({ from, to }: { readonly from: number; readonly to: number }, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

/** True for conditions whose result may change with the next call. */
export function isChanging(conditions: Conditions | undefined): boolean {
  return conditions?.timeOfDay !== undefined || conditions?.rateLimit !== undefined
}

/** Conditions with an explicit zone, so that every copy of the book evaluates them alike. */
export function withZone(conditions: Conditions, zone: Zone): Conditions {
  const { timeOfDay } = conditions
  if (!timeOfDay) return conditions
  const { timezone = zone.name } = timeOfDay
  if (timezone !== zone.name)
    throw new DaybookError(
      'invalid-input',
      `\`conditions.timeOfDay.timezone\`: This book uses the time zone ${zone.name}; pass that one.`,
      { details: { path: 'conditions.timeOfDay.timezone', zone: zone.name } },
    )
  return { ...conditions, timeOfDay: { ...timeOfDay, timezone } }
}
