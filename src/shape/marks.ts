// The shape of what was said of a record, and of what becomes of it: null takes a mark away.
import { z } from 'zod'

/** A name, with `/` between it and what it is below; none of its parts is empty. */
export const collectionName = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => text.split('/').every((part) => part.trim() !== ''), 'has an empty part')
  .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')

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
