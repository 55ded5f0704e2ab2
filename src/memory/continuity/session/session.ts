// Finds sessions of a persona, and the time of their last activity.
import { DaybookError } from '../../../core/errors.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import type { RecordHead } from '../../../core/record.ts'
import { parseTime } from '../../../core/time.ts'
import { type SessionBody, sessionKind } from './session-kind.ts'
import {
  wrongStateError,
  isOwnSession,
  personaFilter,
  type Persona,
  parseRecords,
  parseRecord,
} from '../persona/persona.ts'

export type Session = RecordHead & SessionBody

/** Milliseconds without activity after which a session ends: half an hour. */
export const idleMs = 30 * 60_000

type SessionReader = Pick<RecordReader, 'get' | 'query'>

/** The persona's sessions that have not ended, oldest first. */
export function unendedSessions({ query }: Pick<SessionReader, 'query'>, persona: Persona): Session[] {
  const filters = { ...personaFilter(persona), state: { in: ['open', 'ending'] } }
  const page = query({ kind: 'agent_session', filters, orderBy: 'started_at', limit: 1000 })
  return parseRecords(sessionKind, page.records)
}

/** Ids of the persona's open sessions except `own`, oldest first. */
export const otherSessions = (
  records: Pick<SessionReader, 'query'>,
  persona: Persona,
  own?: string,
): string[] =>
  unendedSessions(records, persona)
    .filter(({ id, state }) => id !== own && state === 'open')
    .map(({ id }) => id)

/** Time of the last write in the session, or of its start, in milliseconds since 1970 UTC. */
export function lastActiveMs(records: Pick<SessionReader, 'query'>, session: Session): number {
  const [last] = records.query({
    filters: { agent: session.agent, session: session.id },
    include: { expired: true, superseded: true, outdated: true },
    orderBy: '-updated_at',
    limit: 1,
  }).records
  return Math.max(parseTime(session.started_at) ?? 0, parseTime(last?.updated_at ?? '') ?? 0)
}

interface IdleContext {
  readonly records: Pick<SessionReader, 'query'>
  readonly call: Pick<CallPort, 'now'>
}

/** True if the session was inactive for `idleMs`. */
export const isIdle = ({ records, call }: IdleContext, session: Session): boolean =>
  (parseTime(call.now) ?? 0) - lastActiveMs(records, session) >= idleMs

/**
 * The session of a call: the one with `id`, which may have ended. Without `id`, the session of the call's
 * scope; if that is not the persona's, the persona's only session that has not ended. Throws `not-found` if
 * `id` is not a session of the persona, and `conflict` if the persona has no session that has not ended, or
 * several.
 */
export function requireSession(
  {
    records,
    call,
  }: { readonly records: SessionReader; readonly call: Pick<CallPort, 'scope' | 'caller' | 'zone'> },
  persona: Persona,
  id?: string,
): Session {
  const sessionId = id ?? call.scope.session
  const session = sessionId === undefined ? undefined : parseRecord(sessionKind, records.get(sessionId))
  // A session of another persona, or an unknown one, in the scope of a call is ignored.
  if (session && persona.agents.includes(session.agent)) return session
  if (id !== undefined) {
    throw new DaybookError('not-found', `${persona.name} has no session \`${id.slice(0, 128)}\`.`, {
      details: { path: 'session' },
    })
  }
  const all = unendedSessions(records, persona)
  const own = all.filter(isOwnSession({ call }, persona))
  const unended = own.length > 0 ? own : all
  const [only] = unended
  if (only && unended.length === 1) return only
  const message =
    unended.length > 1
      ? `${persona.name} is in several sessions: choose one by the scope of the handle or by \`session\`.`
      : `${persona.name} is not in a session: start one.`
  throw wrongStateError('not-initialized', message, { path: 'session' })
}

/**
 * The session of a call, as in `requireSession`. Throws `conflict` too unless the session is open.
 */
export function requireOpenSession(...params: Parameters<typeof requireSession>): Session {
  const session = requireSession(...params)
  if (session.state === 'open') return session
  throw wrongStateError('not-initialized', 'This session has ended: start another one.', {
    path: 'session',
    session: session.id,
  })
}
