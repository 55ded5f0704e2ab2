// Shapes of a record's head and of its marks.
import { sensitivities } from '../core/sealed.ts'
import { z } from 'zod'

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
const share = z.number().min(0).max(1)

export const marks = {
  pinned: flag.optional(),
  importance: share.optional(),
  personal: flag.optional(),
  keep: flag.optional(),
  collection: collectionName.optional(),
}

export const markChanges = {
  pinned: flag.nullable().optional(),
  importance: share.nullable().optional(),
  personal: flag.nullable().optional(),
  keep: flag.nullable().optional(),
  collection: collectionName.nullable().optional(),
}

/** Marks in a call; null removes a mark. */
export const markInput = { ...markChanges, collection: collectionPlace.nullable().optional() }

export const recordHead = {
  id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  ver: z.number(),
  agent: z.string(),
  session: z.string().optional(),
  resource: z.string().optional(),
  sensitivity: z.enum(sensitivities).optional(),
  /** Marks of the record; see `records.mark`. */
  marks: z.object(marks).optional(),
}
