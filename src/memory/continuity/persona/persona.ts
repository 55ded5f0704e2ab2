// Which persona a call is about. Two devices that register one name apart from each other make two records; they are one
// persona, called by the id of the older one, and what was written under either is its own.
// Invariant: a call in the name of one persona is never about another. The owner in its own name may name any; somebody
// else's persona is seen with a token that reaches it, and by no verb of this chapter without one.
import type { Zone } from '../../../core/calendar/zone.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { RecordHead } from '../../../core/record.ts'
import { isIdOf } from './persona-id.ts'
import { type PersonaBody, personaKind } from './persona-kind.ts'
import { readable } from './readable.ts'

/** A persona as verbs work with it. */
export interface Persona extends Pick<PersonaBody, 'name' | 'role' | 'description' | 'registered_at'> {
  readonly ciId: string
  /** In whose name its records are written: its ids, oldest first, or the agent of a token. */
  readonly agents: readonly [string, ...string[]]
  /** What there is one of for each persona and day is named by this. */
  readonly key: readonly [string, string]
  /** Whose days are its days. */
  readonly zone: Zone
}

export interface PersonaPorts {
  readonly call: Pick<CallPort, 'scope' | 'caller' | 'zone'>
  readonly records: Pick<RecordReader, 'query'>
}

type PersonaRecord = RecordHead & PersonaBody

/** A conflict with what was begun, or was not: Katra's `E_NOT_INITIALIZED` and `E_ALREADY_INITIALIZED`. */
export function notReady(
  reason: 'not-initialized' | 'already-initialized',
  message: string,
  details: Record<string, unknown> = {},
): DaybookError {
  return new DaybookError('conflict', message, { details: { reason, ...details } })
}

/** All personas that the caller sees, in the order of their names. */
export function listPersonas({ call, records }: PersonaPorts): Persona[] {
  const found = records.query({ kind: 'persona', orderBy: ['registered_at', 'id'], limit: 1000 })
  const groups = new Map<string, PersonaRecord[]>()
  for (const record of readable(personaKind, found.records)) {
    // Who writes under an id that is its own persona's has that name; nobody else can have such an id.
    const isOwn = record.agent === record.id && isIdOf(record.id, record.name)
    const key = JSON.stringify(isOwn ? ['name', record.name] : ['agent', record.agent])
    groups.set(key, [...(groups.get(key) ?? []), record])
  }
  return [...groups]
    .map(([key, records]) => toPersona(JSON.parse(key) as [string, string], records, call.zone))
    .filter((one) => one !== undefined)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function toPersona(
  key: readonly [string, string],
  records: readonly PersonaRecord[],
  zone: Zone,
): Persona | undefined {
  const [first, ...later] = records
  if (!first) return undefined
  const { id, agent, name, role, description, registered_at, time_zone } = first
  return {
    ciId: id,
    name,
    ...(role === undefined ? {} : { role }),
    ...(description === undefined ? {} : { description }),
    registered_at,
    agents: [agent, ...new Set(later.map((one) => one.agent).filter((one) => one !== agent))],
    key,
    zone: zone.name === time_zone ? zone : (zone.named?.(time_zone) ?? zone),
  }
}

const isCalled = (called: string) => (one: Persona) =>
  one.name === called || one.ciId === called || one.agents.includes(called)

/** The persona that the call is made as: its agent is one. */
export function callingPersona(
  at: PersonaPorts,
  all: readonly Persona[] = listPersonas(at),
): Persona | undefined {
  return all.find(({ agents }) => agents.includes(at.call.scope.agent))
}

/**
 * The persona that a call is about: the one it names, else the one it is made as, else, for the owner, the only one that is
 * in a session.
 */
export function needPersona(at: PersonaPorts, called?: string): Persona {
  const all = listPersonas(at)
  const own = callingPersona(at, all)
  if (called === undefined) return own ?? onlyActive(at, all)
  const named = all.find(isCalled(called))
  if (own && named !== own && at.call.caller.role === 'owner') {
    throw new DaybookError(
      'forbidden',
      `${own.name} reads no other persona's days without a token for them.`,
      {
        details: { path: 'persona' },
      },
    )
  }
  if (named) return named
  throw new DaybookError('not-found', `There is no persona \`${called.slice(0, 80)}\`.`, {
    details: { path: 'persona' },
  })
}

function onlyActive(at: PersonaPorts, all: readonly Persona[]): Persona {
  const open =
    at.call.caller.role === 'owner'
      ? at.records.query({ kind: 'agent_session', filters: { state: 'open' }, limit: 1000 }).records
      : []
  const active = all.filter(({ agents }) => open.some(({ agent }) => agents.includes(agent)))
  const [only] = active
  if (only && active.length === 1) return only
  const message =
    active.length > 1
      ? 'Several personas are in a session: say which, by its scope or by `persona`.'
      : 'No persona is in a session here: register one and start a session, or name one.'
  throw notReady('not-initialized', message, { path: 'persona' })
}

/** In whose name the call writes what is the persona's. */
export function writingAgent({ call }: Pick<PersonaPorts, 'call'>, { agents }: Persona): string {
  return agents.includes(call.scope.agent) ? call.scope.agent : agents[0]
}

/**
 * The scope of what the call writes as the persona's. A door that has no handle of a session writes into the only one that is
 * open.
 */
export function writingScope(
  at: PersonaPorts,
  persona: Persona,
): { readonly agent: string; readonly session?: string } {
  const agent = writingAgent(at, persona)
  if (at.call.scope.session !== undefined) return { agent }
  const filters = { ...ownedBy(persona), state: 'open' }
  const open = at.records.query({ kind: 'agent_session', filters, limit: 2 }).records
  const [only] = open
  return only && open.length === 1 ? { agent, session: only.id } : { agent }
}

/** Filters for what is the persona's own. */
export const ownedBy = ({ agents }: Persona) =>
  agents.length === 1 ? { agent: agents[0] } : { agent: { in: [...agents] } }
