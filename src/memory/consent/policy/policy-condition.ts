// Conditions of a policy: while one of them is unmet, the policy allows nothing.
// Invariant: an unknown or unreadable condition is unmet; a condition never lifts a denial, which applies at any time
// and over any transport.
import { z } from 'zod'
import type { UnmetCondition, CallWay } from '../../../core/access/governed.ts'
import { invalidInput } from '../../../core/errors.ts'
import type { Zone } from '../../../core/zone.ts'
import { parseDuration } from '../../../core/time.ts'

const minuteMs = 60_000
const dayMinutes = 1440

/** Minutes from midnight to a time such as `08:30`. */
function parseMinute(time: string): number {
  const [hours = '', minutes = ''] = time.split(':')
  return Number(hours) * 60 + Number(minutes)
}

const timeOfDayText = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'is not a time of day from 00:00 to 23:59')
const zoneName = z.string().min(1).max(100)
const durationText = z
  .string()
  .max(7)
  .refine((text) => (parseDuration(text) ?? 0) > 0, 'is not a span such as 30s, 15m, 1h or 7d')

/** Longest window of a rate limit. */
const maxWindowMs = 7 * dayMinutes * minuteMs

export const conditionShape = {
  /** True: a call over a network must use HTTPS. A call from this machine is allowed. */
  requireHttps: z.boolean().optional(),
  /**
   * The policy applies from `start` until before `end`, across midnight if `end` is earlier. `timezone`: default
   * and only allowed value is the time zone of the book.
   */
  timeOfDay: z
    .strictObject({ start: timeOfDayText, end: timeOfDayText, timezone: zoneName.optional() })
    .refine(({ start, end }) => start !== end, {
      path: ['end'],
      message: 'is the same as `start`: pass another time',
    })
    .optional(),
  /** Most calls of an agent in the window that ends with the call. Each copy of the book counts its own calls. */
  rateLimit: z
    .strictObject({
      requests: z.number().int().min(1).max(100_000),
      window: durationText.refine((text) => (parseDuration(text) ?? 0) <= maxWindowMs, 'is longer than 7d'),
    })
    .optional(),
  /** Time for which the reader may keep the data. The book tells the reader, and can't enforce it. */
  maxDataRetention: z
    .string()
    .regex(/^(?:session_only|\d{1,4}[hdwmy])$/, 'is not session_only or a span such as 24h, 7d or 1y')
    .optional(),
} as const

const conditionsShape = z.strictObject(conditionShape)
export type Conditions = z.output<typeof conditionsShape>

/** Parses stored conditions, of this or another version; undefined if any condition is unknown or unreadable. */
export function parseConditions(
  stored: Readonly<Record<string, unknown>> | undefined,
): Conditions | undefined {
  return conditionsShape.safeParse(stored ?? {}).data
}

/** The facts about a call on which conditions depend. */
export interface CallCircumstances {
  readonly nowMs: number
  /** Latest known time: a policy that ends at or before this time has expired. Default `nowMs`. */
  readonly latestMs?: number
  readonly way: CallWay
  /** Returns the time zone `name`; undefined if this host doesn't know it. */
  zone(name: string | undefined): Zone | undefined
  /** Returns the number of the agent's calls here since `sinceMs`, with this call. */
  calls(sinceMs: number): number
}

/** A call, with local times and counts cached for all policies. */
export interface CachedCall {
  readonly nowMs: number
  /** As in `CallCircumstances`. */
  readonly latestMs: number
  readonly way: CallWay
  /** Minutes since local midnight in the time zone `zone`; undefined for an unknown zone. */
  minuteAt(zone: string | undefined): number | undefined
  /** The agent's calls here in the last `windowMs` milliseconds, with this call. */
  callsWithin(windowMs: number): number
}

export function cacheCall({ nowMs, latestMs = nowMs, way, zone, calls }: CallCircumstances): CachedCall {
  const minutes = new Map<string | undefined, number | undefined>()
  const counts = new Map<number, number>()
  return {
    nowMs,
    latestMs,
    way,
    minuteAt(name) {
      if (minutes.has(name)) return minutes.get(name)
      const timeZone = zone(name)
      const minute = timeZone && minuteOfDay(nowMs, timeZone)
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

/** Function that returns the first unmet condition of a call; undefined if all are met. */
export type FindUnmet = (call: CachedCall) => UnmetCondition | undefined

/** Compiles conditions once for many calls. Undefined `conditions` are unreadable and never met. */
export function compileConditions(conditions: Conditions | undefined): FindUnmet {
  if (!conditions) return () => 'unknown'
  const { requireHttps = false, timeOfDay } = conditions
  const limit = rateLimitOf(conditions)
  const hours = timeOfDay && { from: parseMinute(timeOfDay.start), to: parseMinute(timeOfDay.end) }
  return (call) => {
    if (requireHttps && call.way === 'http') return 'requireHttps'
    if (hours) {
      const minute = call.minuteAt(timeOfDay.timezone)
      if (minute === undefined || !isWithinHours(hours, minute)) return 'timeOfDay'
    }
    if (limit && call.callsWithin(limit.windowMs) > limit.requests) return 'rateLimit'
    return undefined
  }
}

/** Rate limit of a policy; undefined without one. */
export function rateLimitOf({ rateLimit }: Conditions) {
  return rateLimit && { requests: rateLimit.requests, windowMs: parseDuration(rateLimit.window) ?? 0 }
}

/** The first unmet condition; undefined if all are met. */
export function unmetCondition(
  conditions: Conditions | undefined,
  circumstances: CallCircumstances,
): UnmetCondition | undefined {
  return compileConditions(conditions)(cacheCall(circumstances))
}

/** Minutes since local midnight in `zone`. */
function minuteOfDay(ms: number, zone: Zone): number {
  const local = Math.floor((ms + zone.offsetAt(ms)) / minuteMs)
  return ((local % dayMinutes) + dayMinutes) % dayMinutes
}

function isWithinHours(
  { from, to }: { readonly from: number; readonly to: number },
  minute: number,
): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

/** True if the result of the conditions may change from call to call over one transport. */
export function variesByCall(conditions: Conditions | undefined): boolean {
  return conditions?.timeOfDay !== undefined || conditions?.rateLimit !== undefined
}

/**
 * Returns conditions with the book's time zone, so that every copy of the book evaluates them alike. Throws
 * `invalid-input` for another zone.
 */
export function withBookZone(conditions: Conditions, zone: Zone): Conditions {
  const { timeOfDay } = conditions
  if (!timeOfDay) return conditions
  const { timezone = zone.name } = timeOfDay
  if (timezone !== zone.name)
    throw invalidInput(
      'conditions.timeOfDay.timezone',
      `This book uses the time zone ${zone.name}; pass that one`,
      { zone: zone.name },
    )
  return { ...conditions, timeOfDay: { ...timeOfDay, timezone } }
}
