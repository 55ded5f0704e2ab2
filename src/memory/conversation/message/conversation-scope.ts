// The scope of a conversation: shapes that the verbs of this chapter share, and the names of its records. Each name
// carries the scope of its agent: a caller who may read all records of the agent may look the name up.
import { z } from 'zod'
import type { CallPort } from '../../../core/capability/context.ts'
import { defined } from '../../../core/defined.ts'
import type { Filters } from '../../../core/filter/filter.ts'
import { scopeName } from '../../../shape/field.ts'
import { namedMessageId, profileId, messageIdAt, hashId } from '../../../core/text/name-id.ts'
import type { RecordName } from '../../../core/record.ts'
import { cursor, limit } from '../../../shape/page.ts'
import { filters, orderBy, readVerb, recordVerbs } from '../../../shape/record-verbs.ts'

/** Scope of the conversation. Default: agent, session and resource of the call. */
export const conversationScope = {
  agent: scopeName.optional(),
  session: scopeName.optional(),
  resource: scopeName.optional(),
}

/** Input of a list. Default order: newest first. */
const listQuery = z.strictObject({
  ...conversationScope,
  filters,
  orderBy,
  limit: limit(),
  cursor,
})

/** Filters for the store: the caller's filters, within the named scope. */
function scopedFilters({ agent, session, resource, filters }: ListScope): Filters {
  const givenScope = Object.entries({ agent, session, resource }).filter(([, name]) => name !== undefined)
  const scope = Object.fromEntries(givenScope) as Filters
  if (filters === undefined) return scope
  // Adds to the caller's conditions, so that errors name the caller's paths.
  const { and = [] } = filters
  return { ...filters, and: Array.isArray(and) ? [...and, scope] : and }
}

/** The part of a list's input that selects records. */
type ListScope = Pick<z.output<typeof listQuery>, 'agent' | 'session' | 'resource' | 'filters'>

/** Makes a verb that lists the records of `kind`, within the scope that the caller names. */
export function listVerb<const Id extends string, const Method extends string, Item extends z.ZodType>(
  kind: string,
  item: Item,
  verb: { readonly id: Id; readonly method: Method; readonly summary: string },
) {
  const { page, pageOf } = recordVerbs(kind, item)
  return readVerb({
    ...verb,
    input: listQuery.prefault({}),
    output: page,
    run: ({ orderBy, limit: count, cursor: from, ...query }, at) =>
      pageOf(at, { filters: scopedFilters(query), orderBy, limit: count, cursor: from }),
  })
}

/** Scope for a record to store: the named fields, else those of the call. */
export function storageScope(
  {
    agent,
    session,
    resource,
  }: { agent?: string | undefined; session?: string | undefined; resource?: string | undefined },
  { scope }: Pick<CallPort, 'scope'>,
) {
  const sessionName = session ?? scope.session
  const resourceName = resource ?? scope.resource
  return {
    agent: agent ?? scope.agent,
    ...defined({ session: sessionName, resource: resourceName }),
  }
}

const agentRecordName = (kind: string, agent: string, id: string): RecordName => ({
  kind,
  id,
  scopes: [`agent:${agent}`],
})

/** Name of the message that `agent` calls `msgId`. */
export const messageName = (agent: string, msgId: string): RecordName =>
  agentRecordName('message', agent, namedMessageId(agent, msgId))

/** Name of a message without a `msg_id`, identified by its time and content. */
export const unnamedMessageName = (
  ...[scopeOfMessage, content]: Parameters<typeof messageIdAt>
): RecordName => agentRecordName('message', scopeOfMessage.agent, messageIdAt(scopeOfMessage, content))

/** Name of the profile that `agent` stores about `user`. */
export const profileName = (agent: string, user: string): RecordName =>
  agentRecordName('profile', agent, profileId(agent, user))

/** Name of an episode or a cached answer, identified by its words. */
export const contentRecordName = (
  kind: 'episode' | 'answer',
  agent: string,
  idTexts: readonly string[],
): RecordName => agentRecordName(kind, agent, hashId(kind, agent, ...idTexts))
