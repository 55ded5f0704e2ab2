// Shapes of single fields that many verbs share.
import { isRecordId } from '../core/ids.ts'
import { canonicalTime, isDateOnly } from '../core/time.ts'
import type { Json, JsonObject } from '../core/json/path.ts'
import { z } from 'zod'

/** JSON that was checked before, or is checked later. */
export const json = z.unknown() as unknown as z.ZodType<Json>
export const jsonObject = z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject>

export const recordId = z
  .string()
  .refine(isRecordId, 'is not a record id (1 to 128 letters, digits, . _ : -)')

/** An agent, a session or a resource in a record's head: well-formed Unicode, because it becomes a column. */
export const scopeName = z
  .string()
  .min(1)
  .max(1000)
  .refine((value) => value.isWellFormed(), 'is not well-formed Unicode')

/** An ISO 8601 instant, returned in canonical form. A date means its first moment, no offset means UTC. */
export const instant = z.string().transform((value, context) => {
  const canonical = canonicalTime(value)
  if (canonical !== undefined) return canonical
  context.addIssue({ code: 'custom', message: 'is not an ISO 8601 date or time' })
  return z.NEVER
})

/**
 * An ISO 8601 instant in canonical form, or a date as it is, which means the whole day in the book's zone; see
 * `core/zone.ts`.
 */
export const instantOrDay = z.string().transform((value, context) => {
  const canonical = isDateOnly(value) ? value : canonicalTime(value)
  if (canonical !== undefined) return canonical
  context.addIssue({ code: 'custom', message: 'is not an ISO 8601 date or time' })
  return z.NEVER
})

/** An ISO 8601 instant in canonical form; other spellings are refused. */
export const canonicalInstant = z
  .string()
  .refine((text) => canonicalTime(text) === text, 'is not a canonical UTC time')

/**
 * Number of sealed records of the requested kinds, within the caller's reach, that could not be read here. Absent: none.
 */
export const sealed = z.number().int().min(1).optional()

/** Returns the field, if the count is not 0. */
export function sealedField(count: number): { sealed?: number } {
  return count === 0 ? {} : { sealed: count }
}

/**
 * Number of secrets of one rule in one field of a kind. `path` is dotted, with `*` for list indexes; `kept` means stored
 * in clear.
 */
export const secretCount = z.object({
  rule: z.string(),
  kind: z.string(),
  path: z.string(),
  outcome: z.enum(['sealed', 'masked', 'kept']),
  count: z.number(),
})
