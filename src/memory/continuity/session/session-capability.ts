// The verbs of sessions: start, end, list; and two that run by themselves: to finish interrupted ends, and for
// upkeep.
import { z } from 'zod'
import { checkAborted } from '../../../core/abort.ts'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { TaskContext } from '../../../core/capability/context.ts'
import { defined } from '../../../core/defined.ts'
import { isDaybookError, toDaybookError } from '../../../core/errors.ts'
import { parseDuration } from '../../../core/time.ts'
import { recordId } from '../../../shape/field.ts'
import { consolidate, isConsolidationDue } from '../digest/consolidate.ts'
import { buildSunrise, sunriseOutput } from '../digest/sunrise.ts'
import { addDays } from '../digest/raw-record.ts'
import { dayOf, recentDaysToCheck, writeDays } from '../digest/write-day.ts'
import { personaRefInput } from '../persona/persona-kind.ts'
import { deviceName, hasLeft } from '../persona/presence.ts'
import { lastSnapshot, snapshotOutput } from '../snapshot/snapshot-capability.ts'
import { assertFits } from '../thought/remember.ts'
import { type EndReason, endSession, findOnce } from './end-session.ts'
import { isIdle, otherSessions, requireSession, type Session, unendedSessions } from './session.ts'
import { maxFocusLength, sessionBody, sessionKind, upkeepTask } from './session-kind.ts'
import {
  listPersonas,
  requirePersona,
  wrongStateError,
  personaFilter,
  type Persona,
  parseRecords,
  parseRecord,
  writingAgent,
} from '../persona/persona.ts'
import { cursor, limit, nextOf } from '../../../shape/page.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

/**
 * `session`: its id. `ending`: some steps of its end are not finished. `reason`: `disconnected` if the persona was no
 * longer in the meeting room, `idle` after half an hour without activity.
 */
const sessionOutput = z.object({
  session: z.string(),
  state: z.enum(['open', 'ending', 'ended']),
  reason: z.enum(['request', 'disconnected', 'idle']).optional(),
  started_at: z.string(),
  ended_at: z.string().optional(),
  /** Ids of the records that the end of the session made, and the number of archived records. */
  snapshot: z.string().optional(),
  digests: z.array(z.string()),
  archived: z.number(),
})

const toOutput = (session: Session) => ({
  session: session.id,
  state: session.state,
  reason: session.end_reason,
  started_at: session.started_at,
  ended_at: session.ended_at,
  snapshot: session.snapshot,
  digests: session.digests ?? [],
  archived: session.archived ?? 0,
})

/**
 * The ports that the end of a session needs. recall: its language model. room: to leave it. tasks: to
 * continue an interrupted end.
 */
const endUses = ['records', 'recall', 'room', 'tasks'] as const
/** status: the name of this device. */
type StartContext = TaskContext<'records' | 'recall' | 'room' | 'tasks' | 'status'>

/**
 * The reason to end a session that no caller ended, or to continue its end; undefined if the session may continue.
 */
async function endReason(
  at: StartContext,
  persona: Persona,
  session: Session,
): Promise<EndReason | undefined> {
  if (session.state === 'ending') return session.end_reason ?? 'request'
  if (await hasLeft(at, persona, session)) return 'disconnected'
  return isIdle(at, session) ? 'idle' : undefined
}

/**
 * Ends the persona's abandoned sessions; returns the ids of the ended ones, and the messages of failures. A failure
 * doesn't prevent a new session: the end runs again later.
 */
async function endAbandoned(
  at: StartContext,
  persona: Persona,
): Promise<{ ended: string[]; failed: string[] }> {
  const ended: string[] = []
  const failed: string[] = []
  for (const session of unendedSessions(at.records, persona)) {
    const reason = await endReason(at, persona, session)
    if (reason === undefined) continue
    try {
      await endSession(at, persona, session.id, { reason })
      ended.push(session.id)
    } catch (error) {
      if (isDaybookError(error, 'aborted')) throw error
      failed.push(toDaybookError(error).message)
    }
  }
  return { ended, failed }
}

/** Joins the meeting room. `reason`: code of the error that prevented it. */
async function joinRoom(
  { room, call }: StartContext,
  persona: Persona,
): Promise<{ joined: boolean; reason?: string }> {
  const { agents, name, role } = persona
  // The role of a persona is any text; the room has three roles.
  const roomRole = (['participant', 'coordinator', 'observer'] as const).find((roleName) => roleName === role)
  try {
    const id = call.caller.role === 'owner' ? agents[0] : call.scope.agent
    await room.join({ id, name, role: roomRole ?? 'participant' })
    return { joined: true }
  } catch (error) {
    if (isDaybookError(error)) return { joined: false, reason: error.code }
    throw error
  }
}

export const sessionCapabilities = [
  defineCapability({
    id: 'katra:session_start',
    permission: 'write',
    methods: ['sessions.start'],
    summary:
      'Starts a session of the persona: ends earlier ones, writes missing digests, joins the meeting room, and returns the sunrise.',
    input: z
      .strictObject({
        persona: personaRefInput,
        /** False: doesn't join the meeting room. */
        room: z.boolean().default(true),
      })
      .prefault({}),
    output: z.object({
      session: z.string(),
      ci_id: z.string(),
      name: z.string(),
      /** Scope for a handle of this session: `book.with(scope)`. */
      scope: z.object({ agent: z.string(), session: z.string() }),
      sunrise: sunriseOutput,
      /** The last snapshot. Its Markdown is for the system prompt. */
      context: snapshotOutput.nullable(),
      room: z.object({ joined: z.boolean(), reason: z.string().optional() }),
      /** Ids of the persona's other open sessions, as in another window. */
      alsoIn: z.array(z.string()),
      /** Ids of abandoned sessions that this call ended. */
      ended: z.array(z.string()),
      /** Messages of failed ends, and reasons why digests are extractive although there is a model. */
      degraded: z.array(z.string()),
    }),
    effect: 'task',
    repeatable: true,
    uses: [...endUses, 'status'],
    async run({ persona: personaRef, room }, at) {
      const persona = requirePersona(at, personaRef)
      const { session: scopeSession } = at.call.scope
      const current = scopeSession === undefined ? undefined : at.records.get(scopeSession)
      if (current?.kind === 'agent_session' && current['state'] === 'open') {
        throw wrongStateError('already-initialized', 'This handle is already in a session: end it first.', {
          path: 'session',
          session: current.id,
        })
      }
      const abandoned = await endAbandoned(at, persona)
      const writtenDays = await writeDays(
        at,
        persona,
        addDays(dayOf(persona, at.call.now), -1),
        recentDaysToCheck,
      )
      const joined = room ? await joinRoom(at, persona) : { joined: false }
      const agent = writingAgent(at, persona)
      const device = await deviceName(at)
      const session = await at.records.write(({ records, tasks }) => {
        // A guest must not schedule a task that runs as the owner.
        if (at.call.caller.role === 'owner' && !tasks.recurring(upkeepTask.id)) {
          const { id, capability, every } = upkeepTask
          tasks.schedule({ id, capability, everyMs: parseDuration(every) })
        }
        const body = {
          persona: persona.ciId,
          started_at: at.call.now,
          state: 'open',
          device,
          in_room: joined.joined,
          ...(persona.agents.includes(at.call.scope.agent) ? {} : { connection: at.call.scope.agent }),
        }
        // Explicit `times` keep the record out of the session of the call's scope.
        const times = { created_at: at.call.now, updated_at: at.call.now }
        return records.put({ kind: 'agent_session', body: { ...body, done: [] }, scope: { agent }, times })
      })
      return {
        session,
        ci_id: persona.ciId,
        name: persona.name,
        scope: { agent, session },
        sunrise: await buildSunrise(at, persona),
        context: lastSnapshot(at.records, persona) ?? null,
        room: joined,
        alsoIn: otherSessions(at.records, persona, session),
        ended: abandoned.ended,
        degraded: [
          ...new Set([...abandoned.failed, ...writtenDays.flatMap(({ degraded }) => degraded ?? [])]),
        ],
      }
    },
  }),
  defineCapability({
    id: 'katra:session_end',
    permission: 'write',
    methods: ['sessions.end'],
    summary:
      'Ends a session: makes a snapshot and the digest of the day, consolidates, and leaves the room. A repeated call continues after an interruption, or returns the first result.',
    input: z
      .strictObject({
        persona: personaRefInput,
        session: recordId.optional(),
        /** The persona's current focus, in its own words, for its next session. */
        focus: z
          .string()
          .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')
          .optional(),
      })
      .prefault({}),
    /** `wasEnded`: the session had ended before this call. */
    output: z.object({ ...sessionOutput.shape, wasEnded: z.boolean() }),
    effect: 'task',
    repeatable: true,
    uses: endUses,
    async run({ persona: personaRef, session: id, focus }, at) {
      if (focus !== undefined) assertFits(focus, maxFocusLength, 'focus')
      const persona = requirePersona(at, personaRef)
      const session = await findOnce(at, () => requireSession(at, persona, id))
      if (session.state === 'ended') return { ...toOutput(session), wasEnded: true }
      const ended = await endSession(at, persona, session.id, { reason: 'request', focus })
      return { ...toOutput(ended), wasEnded: false }
    },
  }),
  readVerb({
    id: 'katra:list_sessions',
    method: 'sessions.list',
    summary: 'Lists the sessions of the persona, newest first.',
    input: z
      .strictObject({
        persona: personaRefInput,
        state: sessionBody.shape.state.optional(),
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ sessions: z.array(sessionOutput), cursor: z.string().optional() }),
    run({ persona: personaRef, state, limit, cursor }, at) {
      const filters = { ...personaFilter(requirePersona(at, personaRef)), ...defined({ state }) }
      const page = at.records.query({ kind: 'agent_session', filters, orderBy: '-started_at', limit, cursor })
      const sessions = parseRecords(sessionKind, page.records).map(toOutput)
      return { sessions, ...nextOf(page) }
    },
  }),
  defineCapability({
    id: 'katra:finish_session',
    // It decides nothing, so agents may call it; guests may not.
    forAgents: true,
    methods: ['sessions.finish'],
    summary: 'Continues the interrupted end of a session. Runs by itself.',
    input: z.strictObject({ session: recordId }),
    output: z.object({ session: z.string(), result: z.enum(['ended', 'absent']) }),
    effect: 'task',
    repeatable: true,
    uses: endUses,
    async run({ session: id }, at) {
      const session = parseRecord(sessionKind, at.records.get(id))
      const persona = session && listPersonas(at).find(({ agents }) => agents.includes(session.agent))
      if (!session || !persona || session.state === 'open') return { session: id, result: 'absent' as const }
      // The session is ending or has ended, so it keeps its own reason.
      await endSession(at, persona, id, { reason: 'request' })
      return { session: id, result: 'ended' as const }
    },
  }),
  defineCapability({
    id: 'katra:upkeep',
    // As above.
    forAgents: true,
    methods: ['sessions.upkeep'],
    summary:
      'Ends sessions that were left or idle for half an hour, and consolidates when due: six hours or 1,000 records after the last time. Runs by itself.',
    // A recurring task passes no input.
    input: z.strictObject({}).nullish(),
    /** `ended`: ids of sessions. `consolidated`: ids of personas. */
    output: z.object({ ended: z.array(z.string()), consolidated: z.array(z.string()) }),
    effect: 'task',
    repeatable: true,
    uses: [...endUses, 'status'],
    async run(_input, at) {
      const endedNow: string[] = []
      const consolidated: string[] = []
      const failures: unknown[] = []
      for (const persona of listPersonas(at)) {
        checkAborted(at.call.signal)
        endedNow.push(...(await endAbandoned(at, persona)).ended)
        if (!isConsolidationDue(at.records, persona, at.call.now)) continue
        try {
          await consolidate(at, persona)
          consolidated.push(persona.ciId)
        } catch (error) {
          // The other personas don't wait for this one.
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
      return { ended: endedNow, consolidated }
    },
  }),
] as const
