// Whose conversation a verb is about, and what narrows a list: shapes that the verbs of this chapter share.
import { z } from 'zod'
import type { CallPort } from '../../../core/capability/context.ts'
import type { Filters } from '../../../core/filter/filter.ts'
import { scopeName } from '../../../shape/scope-name.ts'

/** Whose conversation it is; default the book's own agent, session and resource. */
export const conversationScope = {
  agent_id: scopeName.optional(),
  session: scopeName.optional(),
  resource: scopeName.optional(),
}

const filters = (z.record(z.string(), z.unknown()) as unknown as z.ZodType<Filters>).optional()

/** A page of a list, newest first unless asked otherwise. */
export const listQuery = z.strictObject({
  ...conversationScope,
  filters,
  order_by: z
    .union([z.string().min(1).max(512), z.array(z.string().min(1).max(512)).min(1).max(3)])
    .optional(),
  limit: z.number().int().min(1).max(1000).default(100),
  cursor: z.string().max(40_000).optional(),
})

/** What a list asks of the store: the filters of the caller, within the scope it named. */
export function withinScope({ agent_id, session, resource, filters: given }: ListScope): Filters {
  const named = Object.entries({ agent: agent_id, session, resource }).filter(
    ([, name]) => name !== undefined,
  )
  const narrow = Object.fromEntries(named) as Filters
  if (given === undefined) return narrow
  // Beside the caller's own conditions, so that errors name the places the caller knows.
  const { and = [] } = given
  return { ...given, and: Array.isArray(and) ? [...and, narrow] : and }
}

type ListScope = Pick<z.output<typeof listQuery>, 'agent_id' | 'session' | 'resource' | 'filters'>

/** The scope of what is stored, as records want it. */
export function scopeOf(
  {
    agent_id,
    session,
    resource,
  }: { agent_id?: string | undefined; session?: string | undefined; resource?: string | undefined },
  { scope }: Pick<CallPort, 'scope'>,
) {
  const own = session ?? scope.session
  const about = resource ?? scope.resource
  return {
    agent: agent_id ?? scope.agent,
    ...(own === undefined ? {} : { session: own }),
    ...(about === undefined ? {} : { resource: about }),
  }
}
