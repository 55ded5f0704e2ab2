// Shapes of single fields that many verbs share.
import { isRecordId } from '../core/ids.ts'
import { canonicalTime, isDateOnly } from '../core/time.ts'
import type { Json, JsonObject } from '../core/json/path.ts'
import { z } from 'zod'

/** JSON that other code validates. */
export const json = z.unknown() as unknown as z.ZodType<Json>
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>

export const recordId = z
  .string()
  .refine(isRecordId, 'is not a record id (1 to 128 letters, digits, . _ : -)')

/** An agent, a session or a resource in a record's head. Well-formed Unicode, because it becomes a column. */
export const scopeName = z
  .string()
  .min(1)
  .max(1000)
  .refine((value) => value.isWellFormed(), 'is not well-formed Unicode')

/**
 * An ISO 8601 instant, converted to canonical form. A time without an offset is UTC, and so is a date: its first
 * moment there. Inputs where a date is a day of the book's zone use `instantOrDay`.
 */
export const instant = z.string().transform((value, context) => {
  const canonical = canonicalTime(value)
  if (canonical !== undefined) return canonical
  context.addIssue({ code: 'custom', message: 'is not an ISO 8601 date or time' })
  return z.NEVER
})

/**
 * An ISO 8601 instant, converted to canonical form: without an offset it is UTC. Or a date, unchanged, which means
 * the whole day in the book's time zone (`core/zone.ts`).
 */
export const instantOrDay = z.string().transform((value, context) => {
  const canonical = isDateOnly(value) ? value : canonicalTime(value)
  if (canonical !== undefined) return canonical
  context.addIssue({ code: 'custom', message: 'is not an ISO 8601 date or time' })
  return z.NEVER
})

/**
 * An ISO 8601 date or time, unchanged: `localTime`, `beginningOf` and `endingOf` of `core/zone.ts` read it in the book's
 * time zone.
 */
export const timeInZone = z
  .string()
  .refine((text) => canonicalTime(text) !== undefined, 'is not an ISO 8601 date or time')

/** An ISO 8601 instant in canonical form; another spelling is an error. */
export const canonicalInstant = z
  .string()
  .refine((text) => canonicalTime(text) === text, 'is not a canonical UTC time')

/**
 * Number of sealed records of the requested kinds, within the caller's reach, that can't be read here. Absent
 * instead of 0.
 */
export const sealed = z.number().int().min(1).optional()

/** Returns the field `sealed`; an empty object if the count is 0. */
export function sealedField(count: number): { sealed?: number } {
  return count === 0 ? {} : { sealed: count }
}

/**
 * Number of secrets that one rule found in one field of a kind. `path`: dotted, with `*` for list indexes. `sealed`:
 * the record was encrypted. `masked`: a mark replaced the secret. `kept`: the secret was stored in clear.
 */
export const secretCount = z.object({
  rule: z.string(),
  kind: z.string(),
  path: z.string(),
  outcome: z.enum(['sealed', 'masked', 'kept']),
  count: z.number(),
})
