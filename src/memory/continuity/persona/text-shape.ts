// Shapes of short texts that people and agents give: names, roles, places in a collection.
import { z } from 'zod'
import { scopeName } from '../../../shape/scope-name.ts'
import { personaLimit } from './persona-kind.ts'

const isPlain = (text: string) => text.isWellFormed() && !/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text)
const plain = 'has control characters, or is not well-formed Unicode'

/** The same name however its letters were composed. */
export const personaName = z
  .string()
  .min(1)
  .max(personaLimit.name)
  .refine(isPlain, plain)
  .refine((text) => text.trim() === text && text !== '', 'begins or ends with a space')
  .transform((text) => text.normalize('NFC'))

export const personaRole = z.string().min(1).max(personaLimit.role).refine(isPlain, plain)

/** A name or an id; default the persona that the call is made as. */
export const called = scopeName.optional()
