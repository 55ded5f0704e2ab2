// The kind `persona`: who an agent is from day to day. One record for each registration; those of one name are one persona
// (see persona.ts). Invariant: its id, which is what others call it by, never changes.
import { z } from 'zod'
import type { Kind } from '../../../core/kind.ts'
import { instant } from '../../../shape/instant.ts'

/** Characters of a persona's name, and of what it is. */
export const personaLimit = { name: 64, role: 100, description: 2000 } as const

export const personaBody = z.looseObject({
  name: z.string().min(1).max(personaLimit.name),
  role: z.string().max(personaLimit.role).optional(),
  description: z.string().max(personaLimit.description).optional(),
  /** IANA name of the place whose days are its days. */
  time_zone: z.string().min(1).max(100),
  registered_at: instant,
})
export type PersonaBody = z.output<typeof personaBody>

export const personaKind: Kind<'persona', PersonaBody> = {
  name: 'persona',
  idPrefix: 'mcp_',
  summary: 'Who an agent is from day to day: its name, what it does, whose days are its days.',
  version: 1,
  schema: personaBody,
  text: ['name', 'role', 'description'],
  facets: { happened_at: 'registered_at', name: 'name' },
  policy: 'merge',
  timeless: true,
  embed: false,
  recallable: () => false,
}
