// The shape of what was said of a record, and of what becomes of it: null takes a mark away.
import { z } from 'zod'

/** A name, with `/` between it and what it is below; none of its parts is empty. */
export const collectionName = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text.split('/').every((part) => part.trim() !== ''), 'has an empty part')
  .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')

const isPlain = (text: string) => !/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text)

/** What is said anew: `People/Alice`. Nothing in it leads out of it or hides in it. */
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

/** What may be said anew. */
export const markInput = { ...markChanges, collection: collectionPlace.nullable().optional() }
