// How an answer says that it rests on less than all there is.
import { z } from 'zod'

/** How many sealed records of the kinds asked for, within the caller's reach, could not be read here. Absent: none. */
export const sealed = z.number().int().min(1).optional()

/** The field, where there are any. */
export function sealedField(count: number): { sealed?: number } {
  return count === 0 ? {} : { sealed: count }
}
