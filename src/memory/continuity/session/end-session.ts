// The end of a session: snapshot, digest, consolidation, leaving the room. Each step is noted in the session in the very
// transaction that writes what it made.
// Invariant: whatever ends in the middle of it, the steps that are left are done later, by the task that was put off with the
// first of them, by the next start or in a round of upkeep; and those that are done are not done again.
import type { TaskContext, WriteContext } from '../../../core/capability/context.ts'
import { checkAborted } from '../../../core/abort.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { RecordName } from '../../../core/put-request.ts'
import { bodyOf } from '../../../core/record.ts'
import { nameId } from '../../../core/text/name-id.ts'
import { digestName } from '../digest/digest-record.ts'
import { consolidate } from '../digest/consolidate.ts'
import { dayOf, tellDays } from '../digest/tell-day.ts'
import type { Persona } from '../persona/persona.ts'
import { putSnapshot, snapshotOf } from '../snapshot/capture.ts'
import { readableOne } from '../persona/readable.ts'
import type { Session } from './session.ts'
import { type EndStep, endSteps, type SessionBody, sessionKind } from './session-kind.ts'

export type EndPorts = TaskContext<'records' | 'recall' | 'room' | 'tasks'>
export type EndReason = NonNullable<SessionBody['end_reason']>

/** The task waits for whoever ends the session now; after that long they have not come through. */
const takeOverMs = 60_000
const tries = 10
/** A day more than any session lasts: what is told at its end. */
const lookBack = 8

interface Ending {
  readonly reason: EndReason
  readonly focus?: string | undefined
}

type Change = Partial<SessionBody>

/** Ends the session, or goes on with its end; answers it as it is then. */
export async function endSession(
  at: EndPorts,
  persona: Persona,
  id: string,
  ending: Ending,
): Promise<Session> {
  await begin(at, id, ending)
  for (const [i, step] of endSteps.entries()) {
    const session = sessionOf(at, id)
    if (session.ended_at !== undefined || session.done.includes(step)) continue
    checkAborted(at.call.signal)
    at.call.progress({ done: i, total: endSteps.length, what: step })
    await steps[step](at, persona, session)
  }
  return sessionOf(at, id)
}

/** It may be forgotten while it ends: then there is nothing left to end. */
function sessionOf({ records }: { readonly records: Pick<RecordReader, 'get'> }, id: string): Session {
  const session = readableOne(sessionKind, records.get(id))
  if (session) return session
  throw new DaybookError('not-found', `The session \`${id}\` is not there any more.`, {
    details: { path: 'session' },
  })
}

/** Notes that it ends, with a task that takes over when whoever ends it does not come through. */
async function begin(at: EndPorts, id: string, { reason, focus }: Ending): Promise<void> {
  await at.records.write((writer) => {
    const session = sessionOf(writer, id)
    if (session.state !== 'open') return
    const isBegun = put(writer, session, {
      state: 'ending',
      end_reason: reason,
      ...(focus === undefined ? {} : { focus }),
    })
    // The queue runs as the owner: a guest's session waits for the next start or round of upkeep.
    if (isBegun && at.call.caller.role === 'owner') {
      const request = { capability: 'katra:finish_session', input: { session: id } }
      writer.tasks.add({ ...request, maxAttempts: tries, delayMs: takeOverMs })
    }
  })
}

/** Changes the session; false when it is ended meanwhile. */
function put({ records }: WriteContext<'records'>, { id }: Session, change: Change): boolean {
  const now = records.get(id)
  if (!now || now['ended_at'] !== undefined) return false
  records.put({ kind: 'agent_session', id, body: { ...bodyOf(now), ...change } as JsonObject })
  return true
}

/** Changes the session with what a step made, unless somebody else has done that step meanwhile. */
async function finish(
  at: EndPorts,
  { id }: Session,
  step: EndStep,
  work: (writer: WriteContext<'records' | 'tasks'>, session: Session) => Change,
): Promise<void> {
  await at.records.write((writer) => {
    const session = sessionOf(writer, id)
    if (session.done.includes(step) || session.ended_at !== undefined) return
    const change = work(writer, session)
    put(writer, session, { ...change, done: [...session.done, step] })
  })
}

const steps: Readonly<Record<EndStep, (at: EndPorts, persona: Persona, session: Session) => Promise<void>>> =
  {
    async snapshot(at, persona, session) {
      const body = snapshotOf(at, persona, session.focus, session.id)
      const name: RecordName = {
        kind: 'snapshot',
        id: nameId('snapshot', 'session', session.id),
        scopes: [`agent:${session.agent}`],
      }
      await finish(at, session, 'snapshot', (writer) => ({
        snapshot: putSnapshot(writer, persona, body, name),
      }))
    },
    async digest(at, persona, session) {
      const today = dayOf(persona, at.call.now)
      const told = await tellDays(at, persona, today, lookBack)
      await finish(at, session, 'digest', ({ records }) => {
        const own = records.find(digestName(persona, today))
        return { digests: [...new Set([...told.map(({ id }) => id), ...(own ? [own.id] : [])])] }
      })
    },
    async consolidation(at, persona, session) {
      const { archived } = await consolidate(at, persona)
      await finish(at, session, 'consolidation', () => ({ archived }))
    },
    async leave(at, persona, session) {
      if (session.in_room && session.end_reason === 'asked') await leaveRoom(at, persona)
      await finish(at, session, 'leave', () => ({ ended_at: at.call.now, state: 'ended' }))
    },
  }

async function leaveRoom({ room, call }: EndPorts, persona: Persona): Promise<void> {
  try {
    await room.leave(call.caller.role === 'owner' ? persona.agents[0] : call.scope.agent)
  } catch (error) {
    // There is no room here, or it is nobody's business any more: the session ends all the same.
    if (!isDaybookError(error)) throw error
  }
}
