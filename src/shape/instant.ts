// The shape of a time as callers write it.
import { z } from 'zod'
import { canonicalTime, isDateOnly } from '../core/time.ts'

/** An ISO 8601 instant; a date alone means its first moment, no offset means UTC. Comes out in canonical form. */
export const instant = z.string().transform((value, context) => {
  const canonical = canonicalTime(value)
  if (canonical !== undefined) return canonical
  context.addIssue({ code: 'custom', message: 'is not an ISO 8601 date or time' })
  return z.NEVER
})

/**
 * An ISO 8601 instant in canonical form, or a date as it is: the day is meant, in the zone of the book. What it begins or ends
 * is told by `core/calendar/day.ts`.
 */
export const instantOrDay = z.string().transform((value, context) => {
  const canonical = isDateOnly(value) ? value : canonicalTime(value)
  if (canonical !== undefined) return canonical
  context.addIssue({ code: 'custom', message: 'is not an ISO 8601 date or time' })
  return z.NEVER
})

/** An ISO 8601 instant that is in canonical form already: another spelling is refused. */
export const canonicalInstant = z
  .string()
  .refine((text) => canonicalTime(text) === text, 'is not a canonical UTC time')
