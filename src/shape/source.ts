// The shape of who speaks. Sources come in several spellings and are kept in one.
import { z } from 'zod'

const speakerName = z.string().max(1000)

/** Who speaks, as it is stored: `{ type: 'User', id, name }`; nothing in it when nobody said. */
export const source = z.looseObject({
  type: z.string().max(200).optional(),
  id: speakerName.optional(),
  name: speakerName.optional(),
})
export type Source = z.output<typeof source>

const types = ['User', 'Agent', 'System'] as const
const roles: Readonly<Record<string, string>> = {
  user: 'User',
  human: 'User',
  agent: 'Agent',
  assistant: 'Agent',
  system: 'System',
}

/** A person or an agent, by the type of a source or, where chats name their speakers by role, by its name. */
export function speakerRole(given: unknown): 'person' | 'agent' | undefined {
  const { type, name } = (given ?? {}) as Partial<Source>
  const role = roles[name?.toLowerCase() ?? ''] ?? type
  if (role === 'Agent') return 'agent'
  return role === 'User' ? 'person' : undefined
}

/** Who speaks, as callers write it: the stored form, `{ User: 'u-1' }`, or the bare role `user`. */
export const sourceInput = z
  .union([z.string().max(1000), z.record(z.string(), z.unknown())])
  .transform((given, context): Source => {
    if (typeof given === 'string') {
      const type = roles[given.toLowerCase()]
      return type ? { type } : given === '' ? {} : { id: given }
    }
    const tag = types.find((type) => Object.keys(given).length === 1 && Object.hasOwn(given, type))
    const value = tag === undefined ? given : tagged(tag, given[tag])
    const parsed = source.safeParse(value)
    if (parsed.success) return parsed.data
    for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message })
    return z.NEVER
  })

function tagged(type: string, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return { type }
  return typeof value === 'object' ? { type, ...value } : { type, id: value }
}
