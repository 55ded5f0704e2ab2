// Shapes of a record's head and of its marks.
import { z } from 'zod'
import { sensitivities } from '../core/sealed.ts'
import { trustClasses } from '../core/trusted.ts'

/** Name of a collection, such as `People/Alice`. `/` separates the levels, and no level is empty. */
export const collectionName = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text.split('/').every((part) => part.trim() !== ''), 'has an empty part')
  .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')

const isPlain = (text: string) => !/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text)

/** Name of a new collection: no control characters, and no level such as `..`. */
export const collectionPlace = collectionName
  .refine(isPlain, 'has control characters')
  .refine(
    (text) => text.split('/').every((part) => part.trim() === part && part !== '.' && part !== '..'),
    'has a part that begins or ends with a space, or is `.` or `..`',
  )

const flag = z.boolean()
/** A number from 0 to 1. */
const share = z.number().min(0).max(1)

/**
 * Marks of a stored record: Marks in core/mark.ts. Its collection may break the rules for new names
 * (`collectionPlace`).
 */
export const marks = {
  pinned: flag.optional(),
  importance: share.optional(),
  personal: flag.optional(),
  keep: flag.optional(),
  collection: collectionName.optional(),
}

/** Changes of marks in an answer; null removes a mark. */
export const markChanges = {
  pinned: flag.nullable().optional(),
  importance: share.nullable().optional(),
  personal: flag.nullable().optional(),
  keep: flag.nullable().optional(),
  collection: collectionName.nullable().optional(),
}

/** Changes of marks in a call: as above, but a collection needs a name for new collections. */
export const markInput = { ...markChanges, collection: collectionPlace.nullable().optional() }

/**
 * The head of a record in an answer. Times: canonical UTC text. `agent`: the writer; `session`: its run; `resource`:
 * the user or thing that the record is about. No `sensitivity`: `standard`. No
 * `trust`: `owner`.
 */
export const recordHead = {
  id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  /** The mirror's version of the record; 0 until a mirror acknowledges it. */
  ver: z.number(),
  agent: z.string(),
  session: z.string().optional(),
  resource: z.string().optional(),
  sensitivity: z.enum(sensitivities).optional(),
  trust: z.enum(trustClasses).optional(),
  /** Marks of the record; see `records.mark`. */
  marks: z.object(marks).optional(),
}
