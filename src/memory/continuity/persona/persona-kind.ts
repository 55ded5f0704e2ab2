// The kind `persona`: an agent's identity from day to day. Each registration makes one record; records of one name
// are one persona (see persona.ts).
// Invariant: the id of a persona, by which other records refer to it, never changes.
import { z } from 'zod'
import type { Kind } from '../../../core/kind.ts'
import { instant, scopeName } from '../../../shape/field.ts'

/** Most characters of a persona's name, role and description. */
export const personaLimits = { name: 64, role: 100, description: 2000 } as const

const personaBody = z.looseObject({
  name: z.string().min(1).max(personaLimits.name),
  role: z.string().max(personaLimits.role).optional(),
  description: z.string().max(personaLimits.description).optional(),
  /** IANA name of the time zone in which the persona's days begin and end. */
  time_zone: z.string().min(1).max(100),
  registered_at: instant,
})
export type PersonaBody = z.output<typeof personaBody>

export const personaKind: Kind<'persona', PersonaBody> = {
  name: 'persona',
  idPrefix: 'mcp_',
  summary: 'The identity of an agent from day to day: name, role, description, time zone.',
  version: 1,
  schema: personaBody,
  text: ['name', 'role', 'description'],
  facets: { happened_at: 'registered_at', name: 'name' },
  policy: 'merge',
  timeless: true,
  embed: false,
  recallable: false,
}

const isPlain = (text: string) => text.isWellFormed() && !/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text)
const notPlainMessage = 'has control characters, or is not well-formed Unicode'

/** Name of a persona, normalized to NFC. */
export const personaName = z
  .string()
  .min(1)
  .max(personaLimits.name)
  .refine(isPlain, notPlainMessage)
  .refine((text) => text.trim() === text && text !== '', 'begins or ends with a space')
  .transform((text) => text.normalize('NFC'))

export const personaRole = z.string().min(1).max(personaLimits.role).refine(isPlain, notPlainMessage)

/** Name, id or agent of a persona. Default: the persona of the call (`requirePersona`). */
export const personaRefInput = scopeName.optional()
