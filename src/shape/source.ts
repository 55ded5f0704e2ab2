// The speaker of a message. Callers may spell it in several ways; it is stored in one form.
import { z } from 'zod'
import { plainMessage, valueAt } from '../core/plain-issue.ts'
import type { Trust } from '../core/trusted.ts'

const speakerName = z.string().max(1000)

/** A stored speaker, such as `{ type: 'User', id, name }`; empty if unknown. */
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

const typeOfRole = (role: unknown) => (typeof role === 'string' ? roles[role.toLowerCase()] : undefined)

/** Role of a speaker: by the name if the name is a role, else by the type, else by `role`; undefined for another. */
export function speakerRole(written: unknown): 'person' | 'agent' | undefined {
  const { type, name, role: named } = (written ?? {}) as Partial<Source>
  const role = typeOfRole(name) ?? type ?? typeOfRole(named)
  if (role === 'Agent') return 'agent'
  return role === 'User' ? 'person' : undefined
}

const toolName = /^(?:tool|function)$/i

/** Highest trust of a message of this speaker: the output of a tool comes from outside. */
export function speakerTrust(written: unknown): Trust | undefined {
  const { type, id, role } = (written ?? {}) as Partial<Source>
  if (
    [type, role, type === 'Agent' ? id : ''].some((name) => typeof name === 'string' && toolName.test(name))
  )
    return 'external'
  const named = typeof role === 'string' ? { ...(written as Source), name: role } : written
  return speakerRole(named) === 'agent' ? 'agent' : undefined
}

/** A speaker as callers write it: the stored form, `{ User: 'u-1' }`, a role such as `user`, or an id. */
export const sourceInput = z
  .union([z.string().max(1000), z.record(z.string(), z.unknown())])
  .transform((written, context): Source => {
    if (typeof written === 'string') {
      const type = roles[written.toLowerCase()]
      return type ? { type } : written === '' ? {} : { id: written }
    }
    const tag = types.find((type) => Object.keys(written).length === 1 && Object.hasOwn(written, type))
    const value = tag === undefined ? written : tagged(tag, written[tag])
    const parsed = source.safeParse(value)
    if (parsed.success) return parsed.data
    for (const issue of parsed.error.issues) {
      const message = plainMessage(issue, valueAt(value, issue.path.map(String)))
      context.addIssue({ code: 'custom', path: issue.path, message })
    }
    return z.NEVER
  })

/** The stored form of `{ [type]: value }`: the value is an id, or an object with more fields. */
function tagged(type: string, value: unknown): unknown {
  if (value === null || value === undefined || value === '') return { type }
  return typeof value === 'object' ? { type, ...value } : { type, id: value }
}
