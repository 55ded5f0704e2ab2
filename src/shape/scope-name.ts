// The shape of an agent's, a session's and a resource's name in a record's head.
import { z } from 'zod'

/** Well-formed Unicode, because it becomes a column. */
export const scopeName = z
  .string()
  .min(1)
  .max(1000)
  .refine((value) => value.isWellFormed(), 'is not well-formed Unicode')
