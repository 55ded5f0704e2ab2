// Finds the persona of a call. Two devices that register one name separately make two records: these are one persona,
// with the id of the older record, and it owns the records of both.
// Invariant: a call as one persona never reaches another. A handle of the owner without a persona may name any
// persona; another caller needs a token that reaches the persona.
import { spellNames, idPrefixes } from '../../../core/text/name-id.ts'
import type { Zone } from '../../../core/zone.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import type { ForgetHow, RecordReader } from '../../../core/capability/port/record-port.ts'
import { DaybookError, notFound } from '../../../core/errors.ts'
import { bodyOf, headOf, type RecordHead } from '../../../core/record.ts'
import { type PersonaBody, personaKind } from './persona-kind.ts'
import { needUnderstood } from '../../../core/capability/understood.ts'
import { defined } from '../../../core/defined.ts'
import type { Kind } from '../../../core/kind.ts'
import { nameHash, shortKey } from '../../../core/text/text-key.ts'
import { parseTime } from '../../../core/time.ts'

type ParsableKind<Body extends object> = Pick<Kind<string, Body>, 'name' | 'schema'>

/** Returns one record, or none if its body doesn't match the kind. */
function parseBody<Body extends object>(
  { schema }: ParsableKind<Body>,
  record: RecordHead,
): (RecordHead & Body)[] {
  const result = schema['~standard'].validate(bodyOf(record))
  if (result instanceof Promise || result.issues !== undefined) return []
  return [{ ...headOf(record), ...result.value }]
}

/** Returns the records whose bodies match the kind. Skips records that a later version or another client wrote. */
export function parseRecords<Body extends object>(
  kind: ParsableKind<Body>,
  records: readonly RecordHead[],
): (RecordHead & Body)[] {
  return records.flatMap((record) => parseBody(kind, record))
}

/**
 * Returns the record; undefined if it is missing or of another kind. Throws `record-newer` if its body doesn't
 * match.
 */
export function parseRecord<Body extends object>(
  kind: ParsableKind<Body>,
  record: RecordHead | undefined,
): (RecordHead & Body) | undefined {
  if (record?.kind !== kind.name) return undefined
  needUnderstood(kind as Pick<Kind, 'schema'>, record)
  return parseBody(kind, record)[0]
}

/** An id has at most 128 characters, and the rest of a persona's id needs up to 26. */
const maxEncodedLength = 90

/**
 * Spells `name` for an id: letters, digits, `.` and `-` stay, other characters become codes (`:20:`), and a long
 * name becomes a hash. Two names never have the same spelling, except in a hash collision.
 */
function encodeForId(name: string): string {
  const encoded = spellNames(name).replaceAll('_', ':5f:')
  return encoded.length <= maxEncodedLength ? encoded : `:${nameHash('persona', name)}`
}

/**
 * Id of a persona registered as `name` at `now`: `mcp_<name>_<8 hex>_<unix seconds>`. The same name in the same
 * second gives the same id.
 */
export function personaId(name: string, now: string): string {
  const seconds = String(Math.floor((parseTime(now) ?? 0) / 1000))
  const hex = shortKey(`${name}\n${seconds}`).toString(16).padStart(8, '0')
  return `${idPrefixes.persona}${encodeForId(name)}_${hex}_${seconds}`
}

/** True for the id of a persona of this name. */
function isIdOf(id: string, name: string): boolean {
  const own = `${idPrefixes.persona}${encodeForId(name)}_`
  return id.startsWith(own) && /^[0-9a-f]{8}_\d{1,12}$/.test(id.slice(own.length))
}

type PersonaKey = readonly [type: 'name' | 'agent', value: string]

/** A persona, with the fields that the verbs use. */
export interface Persona extends Pick<PersonaBody, 'name' | 'role' | 'description' | 'registered_at'> {
  /** Id of its oldest record. */
  readonly ciId: string
  /** Agents of the persona's records: its ids, oldest first, or the agent of a token. */
  readonly agents: readonly [string, ...string[]]
  /**
   * `['name', name]`: the owner registered the persona. `['agent', agent]`: a token's agent did. The names of its
   * digests and patterns begin with the key, so all devices use one record.
   */
  readonly key: PersonaKey
  /** Time zone of the persona's days. */
  readonly zone: Zone
}

interface PersonaContext {
  readonly call: Pick<CallPort, 'scope' | 'caller' | 'zone'>
  readonly records: Pick<RecordReader, 'query'>
}

type PersonaRecord = RecordHead & PersonaBody

/**
 * Makes a conflict with the state of a session or registration: Katra's `E_NOT_INITIALIZED` or
 * `E_ALREADY_INITIALIZED`.
 */
export function wrongStateError(
  reason: 'not-initialized' | 'already-initialized',
  message: string,
  details: Record<string, unknown> = {},
): DaybookError {
  return new DaybookError('conflict', message, { details: { reason, ...details } })
}

/** All personas that the caller sees, sorted by name. */
export function listPersonas({ call, records }: PersonaContext): Persona[] {
  const page = records.query({ kind: 'persona', orderBy: ['registered_at', 'id'], limit: 1000 })
  const groups = new Map<string, PersonaRecord[]>()
  for (const record of parseRecords(personaKind, page.records)) {
    // An agent whose id is the id of the persona has the persona's name; no other agent can have such an id.
    const isOwn = record.agent === record.id && isIdOf(record.id, record.name)
    const key = JSON.stringify(isOwn ? ['name', record.name] : ['agent', record.agent])
    groups.set(key, [...(groups.get(key) ?? []), record])
  }
  return [...groups]
    .map(([key, records]) => toPersona(JSON.parse(key) as PersonaKey, records, call.zone))
    .filter((persona) => persona !== undefined)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Makes a persona from its records, oldest first; the oldest decides. `zone`: used if the host lacks the persona's. */
function toPersona(key: PersonaKey, records: readonly PersonaRecord[], zone: Zone): Persona | undefined {
  const [first, ...later] = records
  if (!first) return undefined
  const { id, agent, name, role, description, registered_at, time_zone } = first
  return {
    ciId: id,
    name,
    ...defined({ role, description }),
    registered_at,
    agents: [agent, ...new Set(later.map((one) => one.agent).filter((one) => one !== agent))],
    key,
    zone: zone.name === time_zone ? zone : (zone.named?.(time_zone) ?? zone),
  }
}

const matchesRef = (ref: string) => (persona: Persona) =>
  persona.name === ref || persona.ciId === ref || persona.agents.includes(ref)

/** The persona of the call's agent; undefined without one. */
export function callingPersona(
  at: PersonaContext,
  personas: readonly Persona[] = listPersonas(at),
): Persona | undefined {
  return personas.find(({ agents }) => agents.includes(at.call.scope.agent))
}

/**
 * The persona of a call: the named one, else the one of the call's agent, else, for the owner, the only one in a
 * session. Throws `forbidden` if the owner's call as one persona names another, `not-found` for an unknown name, and
 * `conflict` if no persona, or several, could be meant.
 */
export function requirePersona(at: PersonaContext, ref?: string): Persona {
  const personas = listPersonas(at)
  const callerPersona = callingPersona(at, personas)
  if (ref === undefined) return callerPersona ?? onlyActivePersona(at, personas)
  const found = personas.find(matchesRef(ref))
  if (callerPersona && found !== callerPersona && at.call.caller.role === 'owner') {
    throw new DaybookError(
      'forbidden',
      `${callerPersona.name} may not read another persona's days without a token for them.`,
      {
        details: { path: 'persona' },
      },
    )
  }
  if (found) return found
  throw notFound('persona', ref.slice(0, 80), 'persona')
}

/**
 * True if the call means the session without naming it: the call is made as its persona, or by the connection that
 * started it.
 */
export const isOwnSession =
  ({ call }: Pick<PersonaContext, 'call'>, persona: Persona) =>
  (session: RecordHead): boolean => {
    const { connection } = session as { readonly connection?: unknown }
    const { agent } = call.scope
    return connection === undefined || connection === agent || persona.agents.includes(agent)
  }

/**
 * The only persona with an open session of this connection. Throws `conflict` if no persona has one, or several have;
 * always for a guest.
 */
function onlyActivePersona(at: PersonaContext, personas: readonly Persona[]): Persona {
  const open =
    at.call.caller.role === 'owner'
      ? at.records.query({ kind: 'agent_session', filters: { state: 'open' }, limit: 1000 }).records
      : []
  const active = personas.filter((persona) =>
    open.filter(isOwnSession(at, persona)).some(({ agent }) => persona.agents.includes(agent)),
  )
  const [only] = active
  if (only && active.length === 1) return only
  const message =
    active.length > 1
      ? 'Several personas are in a session: choose one by its scope or by `persona`.'
      : 'No persona is in a session here: register one and start a session, or name one.'
  throw wrongStateError('not-initialized', message, { path: 'persona' })
}

/**
 * Field of a put to a record of the persona. A call as the persona also changes the records of its other ids; the put
 * decides nothing for a person.
 */
export const ownUpkeep = ({ call }: Pick<PersonaContext, 'call'>, { agents }: Persona) => ({
  upkeep: agents.includes(call.scope.agent),
})

/** How a call as the persona forgets a record of the persona, also one of its other ids. */
export const ownForget = (at: Pick<PersonaContext, 'call'>, persona: Persona): ForgetHow | undefined =>
  ownUpkeep(at, persona).upkeep ? 'upkeep' : undefined

/** Agent for the records that the call writes for the persona. */
export function writingAgent({ call }: Pick<PersonaContext, 'call'>, { agents }: Persona): string {
  return agents.includes(call.scope.agent) ? call.scope.agent : agents[0]
}

/**
 * Scope for the records that the call writes for the persona. Without `session`, the session of the call's scope
 * applies; if that has none, adds the persona's only open session.
 */
export function writingScope(
  at: PersonaContext,
  persona: Persona,
): { readonly agent: string; readonly session?: string } {
  const agent = writingAgent(at, persona)
  if (at.call.scope.session !== undefined) return { agent }
  const filters = { ...personaFilter(persona), state: 'open' }
  const openSessions = at.records
    .query({ kind: 'agent_session', filters, limit: 1000 })
    .records.filter(isOwnSession(at, persona))
  const [only] = openSessions
  return only && openSessions.length === 1 ? { agent, session: only.id } : { agent }
}

/** Filters for the persona's own records. */
export const personaFilter = ({ agents }: Persona) =>
  agents.length === 1 ? { agent: agents[0] } : { agent: { in: [...agents] } }
