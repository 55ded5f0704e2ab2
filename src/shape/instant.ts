// The shape of a time as callers write it.
import { z } from 'zod'
import { canonicalTime } from '../core/time.ts'

/** An ISO 8601 instant; a date alone means its first moment, no offset means UTC. Comes out in canonical form. */
export const instant = z.string().transform((value, context) => {
  const canonical = canonicalTime(value)
  if (canonical !== undefined) return canonical
  context.addIssue({ code: 'custom', message: 'is not an ISO 8601 date or time' })
  return z.NEVER
})
