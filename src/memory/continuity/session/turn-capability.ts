// The verbs of turns. A turn contains every record that its session wrote between its beginning and its end, except
// personas, sessions, turns and marks.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { CallPort } from '../../../core/capability/context.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { type RecordHead, type RecordName, bodyOf } from '../../../core/record.ts'
import { nameId } from '../../../core/text/name-id.ts'
import { recordId } from '../../../shape/field.ts'
import { personaRefInput } from '../persona/persona-kind.ts'
import { requireOpenSession, requireSession, type Session } from './session.ts'
import { type TurnBody, turnKind, maxTurnRecords } from './session-kind.ts'
import {
  requirePersona,
  wrongStateError,
  type Persona,
  parseRecords,
  parseRecord,
  ownUpkeep,
  writingAgent,
} from '../persona/persona.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

type Turn = RecordHead & TurnBody
type QueryPort = Pick<RecordReader, 'query'>

/** Kinds that no turn contains: they describe the session itself, or marks. */
const excludedKinds = ['persona', 'agent_session', 'turn', 'mark']

/** Records that the session wrote from `from` to `to`, both included, oldest first. */
function recordsWritten(records: QueryPort, { id, agent }: Session, from: string, to: string): RecordHead[] {
  const written: RecordHead[] = []
  for (let cursor: string | undefined; ;) {
    const page = records.query({
      filters: {
        session: id,
        agent,
        updated_at: { gte: from, lte: to },
        not: { kind: { in: excludedKinds } },
      },
      include: { expired: true, superseded: true, outdated: true },
      orderBy: ['updated_at', 'id'],
      limit: 1000,
      cursor,
    })
    written.push(...page.records)
    cursor = page.cursor
    if (cursor === undefined) return written
  }
}

/** The name of a turn: its session and its number. */
const turnName = ({ id, agent }: Session, number: number): RecordName => ({
  kind: 'turn',
  id: nameId('turn', id, String(number)),
  scopes: [`agent:${agent}`],
})

/** Returns the turn that was just stored. Throws `not-found` if it was forgotten in the meantime. */
function requireTurn(records: Pick<RecordReader, 'get'>, id: string): Turn {
  const turn = parseRecord(turnKind, records.get(id))
  if (turn) return turn
  throw new DaybookError('not-found', 'The turn was forgotten while it was written; begin another one.')
}

/** The session's turn with the highest number. Reads ten, because `parseRecords` skips unknown shapes. */
function lastTurn(records: QueryPort, session: Session): Turn | undefined {
  const page = records.query({
    kind: 'turn',
    filters: { agent: session.agent, session_id: session.id },
    orderBy: '-number',
    limit: 10,
  })
  const [found] = parseRecords(turnKind, page.records)
  return found
}

/** The records of a turn: stored in it when it ended; of an open turn, those written up to now. */
function recordsOfTurn(
  at: { records: QueryPort; call: Pick<CallPort, 'now'> },
  session: Session,
  turn: Turn,
) {
  if (turn.records) return { records: turn.records, count: turn.count ?? turn.records.length }
  const writtenBefore = new Set(turn.before)
  const written = recordsWritten(at.records, session, turn.began_at, at.call.now).filter(
    ({ id }) => !writtenBefore.has(id),
  )
  return { records: written.map(({ id }) => id).slice(0, maxTurnRecords), count: written.length }
}

const turnInput = z.strictObject({ persona: personaRefInput, session: recordId.optional() }).prefault({})
const turnOutput = z.object({
  turn: z.string(),
  session: z.string(),
  number: z.number(),
  began_at: z.string(),
  ended_at: z.string().optional(),
  /** Ids of the records written in the turn, oldest first: at most `maxTurnRecords` of `count`. */
  memoryIds: z.array(z.string()),
  count: z.number(),
})

const toOutput = (turn: Turn, { records, count }: { records: readonly string[]; count: number }) => ({
  turn: turn.id,
  session: turn.session_id,
  number: turn.number,
  began_at: turn.began_at,
  ended_at: turn.ended_at,
  memoryIds: [...records],
  count,
})

const turnScope = (
  call: Pick<CallPort, 'scope' | 'caller' | 'zone'>,
  persona: Persona,
  session: Session,
) => ({
  agent: writingAgent({ call }, persona),
  session: session.id,
})

export const turnCapabilities = [
  defineCapability({
    id: 'katra:begin_turn',
    permission: 'write',
    methods: ['turns.begin'],
    summary: 'Begins a turn of the session: later writes belong to it.',
    input: turnInput,
    output: turnOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ persona: personaRef, session: id }, at) {
      const persona = requirePersona(at, personaRef)
      const session = requireOpenSession(at, persona, id)
      const last = lastTurn(at.records, session)
      if (last && last.ended_at === undefined) {
        throw wrongStateError(
          'already-initialized',
          'A turn of this session is already open: end it first.',
          {
            path: 'session',
            turn: last.id,
          },
        )
      }
      const number = (last?.number ?? 0) + 1
      const { now } = at.call
      // Written earlier in this millisecond: see `before` in session-kind.ts.
      const writtenBefore = recordsWritten(at.records, session, now, now).map(
        ({ id: writtenId }) => writtenId,
      )
      const body = {
        session_id: session.id,
        number,
        began_at: now,
        ...(writtenBefore.length === 0 ? {} : { before: writtenBefore.slice(0, maxTurnRecords) }),
      }
      const scope = turnScope(at.call, persona, session)
      const name = turnName(session, number)
      const turnId = await at.records.write(({ records }) => records.put({ kind: 'turn', name, body, scope }))
      return toOutput(requireTurn(at.records, turnId), { records: [], count: 0 })
    },
  }),
  defineCapability({
    id: 'katra:end_turn',
    permission: 'write',
    methods: ['turns.end'],
    summary: 'Ends the turn of the session, and returns its writes.',
    input: turnInput,
    output: turnOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ persona: personaRef, session: id }, at) {
      const persona = requirePersona(at, personaRef)
      const session = requireOpenSession(at, persona, id)
      const turn = lastTurn(at.records, session)
      if (!turn || turn.ended_at !== undefined)
        throw wrongStateError('not-initialized', 'No turn of this session is open: begin one first.', {
          path: 'session',
        })
      // Only an open turn needs `before`.
      const { before: _before, ...rest } = bodyOf(turn) as unknown as TurnBody
      const written = recordsOfTurn(at, session, turn)
      const body = { ...rest, ...written, ended_at: at.call.now } as unknown as JsonObject
      const request = { kind: 'turn', id: turn.id, body, exact: true, ...ownUpkeep(at, persona) }
      await at.records.write(({ records }) => records.put(request))
      return toOutput(requireTurn(at.records, turn.id), written)
    },
  }),
  readVerb({
    id: 'katra:review_turn',
    method: 'turns.review',
    summary:
      'The records that were written in the turn of the session, or in its last one: one by its number if asked.',
    input: z
      .strictObject({
        persona: personaRefInput,
        session: recordId.optional(),
        number: z.number().int().min(1).optional(),
      })
      .prefault({}),
    output: turnOutput,
    run({ persona: personaRef, session: id, number }, at) {
      const session = requireSession(at, requirePersona(at, personaRef), id)
      const turnRecord = number === undefined ? undefined : at.records.find(turnName(session, number))
      const turn = number === undefined ? lastTurn(at.records, session) : parseRecord(turnKind, turnRecord)
      if (!turn)
        throw wrongStateError('not-initialized', 'This session has no such turn.', { path: 'number' })
      return toOutput(turn, recordsOfTurn(at, session, turn))
    },
  }),
] as const
