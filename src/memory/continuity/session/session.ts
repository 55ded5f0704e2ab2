// Sessions as verbs find them: which are open, which were left, and when something was last done in one.
import { DaybookError } from '../../../core/errors.ts'
import type { CallPort, ReadContext } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import type { RecordHead } from '../../../core/record.ts'
import { parseTime } from '../../../core/time.ts'
import { notReady, ownedBy, type Persona } from '../persona/persona.ts'
import { readable, readableOne } from '../persona/readable.ts'
import { type SessionBody, sessionKind } from './session-kind.ts'

export type Session = RecordHead & SessionBody

/** Half an hour in which nothing was done ends a session. */
export const idleMs = 30 * 60_000

type Reading = Pick<RecordReader, 'get' | 'query'>

/** The sessions of the persona that are not ended, oldest first. */
export function unendedSessions({ query }: Pick<Reading, 'query'>, persona: Persona): Session[] {
  const filters = { ...ownedBy(persona), state: { in: ['open', 'ending'] } }
  const page = query({ kind: 'agent_session', filters, orderBy: 'started_at', limit: 1000 })
  return readable(sessionKind, page.records)
}

/** When something was last written in it, in milliseconds since 1970 UTC. */
export function lastActive(records: Pick<Reading, 'query'>, session: Session): number {
  const [last] = records.query({
    filters: { agent: session.agent, session: session.id },
    include: { expired: true, superseded: true, outdated: true },
    orderBy: '-updated_at',
    limit: 1,
  }).records
  return Math.max(parseTime(session.started_at) ?? 0, parseTime(last?.updated_at ?? '') ?? 0)
}

interface Placed {
  readonly records: Pick<Reading, 'query'>
  readonly call: Pick<CallPort, 'now'>
}

/** Half an hour ago or more. */
export const isIdle = ({ records, call }: Placed, session: Session): boolean =>
  (parseTime(call.now) ?? 0) - lastActive(records, session) >= idleMs

/** The name of this copy of the book, as far as it has one. */
export async function deviceOf({ status }: Pick<ReadContext<'status'>, 'status'>): Promise<string> {
  return (await status.book()).sync.device ?? ''
}

/**
 * The session that a call is about: the one it names, else the one its handle is in, else the only one of the persona that is
 * open.
 */
export function needSession(
  { records, call }: { readonly records: Reading; readonly call: Pick<CallPort, 'scope'> },
  persona: Persona,
  asked?: string,
): Session {
  const named = asked ?? call.scope.session
  const found = named === undefined ? undefined : readableOne(sessionKind, records.get(named))
  if (found && persona.agents.includes(found.agent)) return found
  if (asked !== undefined) {
    throw new DaybookError('not-found', `${persona.name} has no session \`${asked.slice(0, 128)}\`.`, {
      details: { path: 'session' },
    })
  }
  const open = unendedSessions(records, persona)
  const [only] = open
  if (only && open.length === 1) return only
  const message =
    open.length > 1
      ? `${persona.name} is in several sessions: say which, by the scope of the handle or by \`session\`.`
      : `${persona.name} is in no session: start one.`
  throw notReady('not-initialized', message, { path: 'session' })
}

/** Such a session that is still open. */
export function needOpen(...asked: Parameters<typeof needSession>): Session {
  const session = needSession(...asked)
  if (session.state === 'open') return session
  throw notReady('not-initialized', 'This session is ended: start another one.', {
    path: 'session',
    session: session.id,
  })
}
