// What must hold for a policy to allow anything. Invariants: a condition that is not known, or says what can't be read, does
// not hold; and none of them lifts what a policy denies, which is denied at any time and over any way.
import { z } from 'zod'
import type { UnmetCondition, Way } from '../../../core/access/policy-decision.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { Zone } from '../../../core/calendar/zone.ts'
import { parseDuration } from '../../../core/calendar/duration.ts'

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

/** The longest that is looked back for calls. */
const windowLimitMs = 7 * dayMinutes * minuteMs

export const conditionShape = {
  /** True: what comes over a network comes over HTTPS, or from this machine. */
  requireHttps: z.boolean().optional(),
  /** From `start` to before `end`, over midnight where that is earlier. In `timezone`, by default that of the book. */
  timeOfDay: z
    .strictObject({ start: time, end: time, timezone: zoneName.optional() })
    .refine(({ start, end }) => start !== end, {
      path: ['end'],
      message: 'is when it starts: say another time',
    })
    .optional(),
  /** At most so many calls of an agent within the span that ends with its call, at each copy of the book. */
  rateLimit: z
    .strictObject({
      requests: z.number().int().min(1).max(100_000),
      window: span.refine((text) => (parseDuration(text) ?? 0) <= windowLimitMs, 'is longer than 7d'),
    })
    .optional(),
  /** How long the reader may keep what it read. It is told to the reader and nothing more: nobody can enforce it. */
  maxDataRetention: z
    .string()
    .regex(/^(?:session_only|\d{1,4}[hdwmy])$/, 'is not session_only or a span such as 24h, 7d or 1y')
    .optional(),
} as const

const known = z.strictObject(conditionShape)
export type Conditions = z.output<typeof known>

/** Conditions as they were stored, here or by another Daybook; undefined when one is not known or can't be read. */
export function readConditions(
  stored: Readonly<Record<string, unknown>> | undefined,
): Conditions | undefined {
  return known.safeParse(stored ?? {}).data
}

/** The call of an agent, as far as conditions look at it. */
export interface Circumstances {
  readonly nowMs: number
  /** The latest time that was seen, by which policies end. Default `nowMs`. */
  readonly latestMs?: number
  readonly way: Way
  /** The zone of that name; undefined where nobody here knows it. */
  zone(name: string | undefined): Zone | undefined
  /** How many calls the agent made here since that instant, this one included. */
  calls(sinceMs: number): number
}

/** A call, whose clocks and counts are looked at once for all policies. */
export interface Instant {
  readonly nowMs: number
  readonly latestMs: number
  readonly way: Way
  /** What clocks show in the zone of that name, in minutes of the day; undefined where nobody here knows it. */
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

/** Says of a call the first condition that does not hold; undefined when all do. */
export type Unmet = (call: Instant) => UnmetCondition | undefined

/** Conditions read once, for many calls. */
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

/** How often an agent may ask, and within how long. */
export function rateLimitOf({ rateLimit }: Conditions) {
  return rateLimit && { requests: rateLimit.requests, windowMs: parseDuration(rateLimit.window) ?? 0 }
}

/** The first condition that does not hold; undefined when all do. */
export function unmetCondition(
  conditions: Conditions | undefined,
  given: Circumstances,
): UnmetCondition | undefined {
  return compileConditions(conditions)(instantOf(given))
}

/** What clocks show at `zone`, in minutes of the day. */
function minuteOfDay(ms: number, zone: Zone): number {
  const local = Math.floor((ms + zone.offsetAt(ms)) / minuteMs)
  return ((local % dayMinutes) + dayMinutes) % dayMinutes
}

function isWithin({ from, to }: { readonly from: number; readonly to: number }, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to
}

/** True for conditions whose answer may be another one with the next call. */
export function isChanging(conditions: Conditions | undefined): boolean {
  return conditions?.timeOfDay !== undefined || conditions?.rateLimit !== undefined
}

/** Conditions with the zone that is meant written out, so that every copy of the book means the same. */
export function withZone(conditions: Conditions, zone: Zone): Conditions {
  const { timeOfDay } = conditions
  if (!timeOfDay) return conditions
  const { timezone = zone.name } = timeOfDay
  if (timezone !== zone.name)
    throw new DaybookError(
      'invalid-input',
      `\`conditions.timeOfDay.timezone\`: The days of this book are those of ${zone.name}.`,
      { details: { path: 'conditions.timeOfDay.timezone', zone: zone.name } },
    )
  return { ...conditions, timeOfDay: { ...timeOfDay, timezone } }
}
