// The end of a session: snapshot, digest, consolidation, leaving the room. The session notes each finished step.
// Invariant: after an interruption at any point, the remaining steps run later: by the task queued at the first step,
// at the next session start, or in a round of upkeep. Finished steps don't run again.
import type { TaskContext, WriteContext } from '../../../core/capability/context.ts'
import { checkAborted } from '../../../core/abort.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError, isDaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { type RecordName, bodyOf } from '../../../core/record.ts'
import { nameId } from '../../../core/text/name-id.ts'
import { digestName } from '../digest/digest-record.ts'
import { consolidate } from '../digest/consolidate.ts'
import { dayOf, writeDays } from '../digest/write-day.ts'
import { storeSnapshot, buildSnapshot } from '../snapshot/build-snapshot.ts'
import { type Session, unendedSessions } from './session.ts'
import { type EndStep, endSteps, type SessionBody, sessionKind } from './session-kind.ts'
import { ownUpkeep, type Persona, parseRecord } from '../persona/persona.ts'

export type EndContext = TaskContext<'records' | 'recall' | 'room' | 'tasks'>
export type EndReason = NonNullable<SessionBody['end_reason']>

/**
 * Milliseconds after which a queued task continues the end. If the caller has finished it by then, the task
 * does nothing.
 */
const takeOverDelayMs = 60_000
/** Most attempts of this task. Then the next session start or upkeep continues the end. */
const maxAttempts = 10
/** Number of days before today whose missing digests the end of a session writes. */
const lookBackDays = 8

interface EndRequest {
  readonly reason: EndReason
  readonly focus?: string | undefined
}

/** Fields to change; the others stay. */
type SessionChange = Partial<SessionBody>

/** A session that ends. */
interface Ending {
  readonly at: EndContext
  readonly persona: Persona
  readonly session: Session
}

/**
 * Ends the session, or continues its end; returns its final state. `request` counts only if the session is open: an
 * end that has begun keeps its reason and focus.
 */
export async function endSession(
  at: EndContext,
  persona: Persona,
  id: string,
  request: EndRequest,
): Promise<Session> {
  await markEnding({ at, persona, session: getSession(at, id) }, request)
  for (const [i, step] of endSteps.entries()) {
    const session = getSession(at, id)
    if (session.ended_at !== undefined || session.done.includes(step)) continue
    checkAborted(at.call.signal)
    at.call.progress({ done: i, total: endSteps.length, subject: step })
    await runStep[step]({ at, persona, session })
  }
  return getSession(at, id)
}

/**
 * The session that `find` returns. A repeated call gets the session of the first call, also if another one began since
 * or nothing is left to find.
 */
export async function findOnce({ records }: EndContext, find: () => Session): Promise<Session> {
  let readId: () => string
  try {
    const { id } = find()
    readId = () => id
  } catch (error) {
    readId = () => {
      throw error
    }
  }
  return getSession({ records }, await records.write(readId))
}

/** Returns the session. Throws `not-found` if the session was forgotten while it ended. */
function getSession({ records }: { readonly records: Pick<RecordReader, 'get'> }, id: string): Session {
  const session = parseRecord(sessionKind, records.get(id))
  if (session) return session
  throw new DaybookError('not-found', `Session \`${id}\` was forgotten.`, {
    details: { path: 'session' },
  })
}

/** Marks the session as ending, and queues a task that continues the end if the caller doesn't finish it. */
async function markEnding(ending: Ending, { reason, focus }: EndRequest): Promise<void> {
  const { at, session } = ending
  await at.records.write((writer) => {
    if (getSession(writer, session.id).state !== 'open') return
    const isBegun = updateSession(writer, ending, {
      state: 'ending',
      end_reason: reason,
      ...defined({ focus }),
    })
    // The queue runs as the owner, so a guest's session waits for the next session start or round of upkeep.
    if (isBegun && at.call.caller.role === 'owner') {
      const request = { capability: 'katra:finish_session', input: { session: session.id } }
      writer.tasks.add({ ...request, maxAttempts, delayMs: takeOverDelayMs })
    }
  }, 'every-run')
}

/** Changes the session; false if it ended or was forgotten in the meantime. */
function updateSession(
  { records }: WriteContext<'records'>,
  { at, persona, session: { id } }: Ending,
  change: SessionChange,
): boolean {
  const current = records.get(id)
  if (!current || current['ended_at'] !== undefined) return false
  const body = { ...bodyOf(current), ...change } as JsonObject
  records.put({ kind: 'agent_session', id, body, ...ownUpkeep(at, persona) })
  return true
}

/** Writes the result of a step to the session, unless another caller finished that step in the meantime. */
async function finishStep(
  ending: Ending,
  step: EndStep,
  getChange: (writer: WriteContext<'records' | 'tasks'>, session: Session) => SessionChange,
): Promise<void> {
  await ending.at.records.write((writer) => {
    const session = getSession(writer, ending.session.id)
    if (session.done.includes(step) || session.ended_at !== undefined) return
    const change = getChange(writer, session)
    updateSession(writer, ending, { ...change, done: [...session.done, step] })
  }, 'every-run')
}

/**
 * Runs a step, and notes its result by `finishStep`. A step may run twice: each writes the same records
 * again.
 */
const runStep: Readonly<Record<EndStep, (ending: Ending) => Promise<void>>> = {
  async snapshot(ending) {
    const { at, persona, session } = ending
    const body = buildSnapshot(at, persona, session.focus, session.id)
    const name: RecordName = {
      kind: 'snapshot',
      id: nameId('snapshot', 'session', session.id),
      scopes: [`agent:${session.agent}`],
    }
    await finishStep(ending, 'snapshot', (writer) => ({
      snapshot: storeSnapshot(writer, persona, body, name),
    }))
  },
  async digest(ending) {
    const { at, persona } = ending
    const today = dayOf(persona, at.call.now)
    const written = await writeDays(at, persona, today, lookBackDays)
    await finishStep(ending, 'digest', ({ records }) => {
      const name = digestName(persona, today)
      const todaysId = records.sealed.idOf(name) ?? records.find(name)?.id
      return { digests: [...new Set([...written.map(({ id }) => id), ...(todaysId ? [todaysId] : [])])] }
    })
  },
  async consolidation(ending) {
    const { archived } = await consolidate(ending.at, ending.persona)
    await finishStep(ending, 'consolidation', () => ({ archived }))
  },
  async leave(ending) {
    const { at, persona, session } = ending
    // `disconnected`: the persona has left already. `idle`: any device may end the session.
    if (session.in_room && session.end_reason === 'request' && !isInRoomElsewhere(ending))
      await leaveRoom(at, persona)
    await finishStep(ending, 'leave', () => ({ ended_at: at.call.now, state: 'ended' }))
  },
}

/** True if another session of the persona in this copy of the book is in the meeting room too. */
const isInRoomElsewhere = ({ at, persona, session }: Ending): boolean =>
  unendedSessions(at.records, persona).some(
    ({ id, state, in_room, device }) =>
      id !== session.id && state === 'open' && in_room && device === session.device,
  )

async function leaveRoom({ room, call }: EndContext, persona: Persona): Promise<void> {
  try {
    await room.leave(call.caller.role === 'owner' ? persona.agents[0] : call.scope.agent)
  } catch (error) {
    // The session ends even if the room is unavailable, or no longer allowed.
    if (!isDaybookError(error)) throw error
  }
}
