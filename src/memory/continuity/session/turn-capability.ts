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
import { called } from '../persona/persona-kind.ts'
import { needOpen, needSession, type Session } from './session.ts'
import { type TurnBody, turnKind, turnLimit } from './session-kind.ts'
import {
  needPersona,
  notReady,
  type Persona,
  readable,
  readableOne,
  writingAgent,
} from '../persona/persona.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

type Turn = RecordHead & TurnBody
type Reading = Pick<RecordReader, 'query'>

const excludedKinds = ['persona', 'agent_session', 'turn', 'mark']

/** Records that the session wrote from `from` to `to`, both included, oldest first. */
function writtenIn(records: Reading, { id, agent }: Session, from: string, to: string): RecordHead[] {
  const all: RecordHead[] = []
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
    all.push(...page.records)
    cursor = page.cursor
    if (cursor === undefined) return all
  }
}

/** The name of a turn: its session and its number. */
const turnName = ({ id, agent }: Session, number: number): RecordName => ({
  kind: 'turn',
  id: nameId('turn', id, String(number)),
  scopes: [`agent:${agent}`],
})

/** Returns the turn that was just stored. Throws `not-found` if it was forgotten in the meantime. */
function needTurn(records: Pick<RecordReader, 'get'>, id: string): Turn {
  const turn = readableOne(turnKind, records.get(id))
  if (turn) return turn
  throw new DaybookError('not-found', 'The turn was forgotten while it was written; begin another one.')
}

function lastTurn(records: Reading, session: Session): Turn | undefined {
  const page = records.query({
    kind: 'turn',
    filters: { agent: session.agent, session_id: session.id },
    orderBy: '-number',
    limit: 10,
  })
  const [found] = readable(turnKind, page.records)
  return found
}

function recordsOfTurn(at: { records: Reading; call: Pick<CallPort, 'now'> }, session: Session, turn: Turn) {
  if (turn.records) return { records: turn.records, count: turn.count ?? turn.records.length }
  const before = new Set(turn.before)
  const written = writtenIn(at.records, session, turn.began_at, at.call.now).filter(
    ({ id }) => !before.has(id),
  )
  return { records: written.map(({ id }) => id).slice(0, turnLimit), count: written.length }
}

const input = z.strictObject({ persona: called, session: recordId.optional() }).prefault({})
const shown = z.object({
  turn: z.string(),
  session: z.string(),
  number: z.number(),
  began_at: z.string(),
  ended_at: z.string().optional(),
  /** Ids of the records written in the turn, oldest first: at most 1,000 of `count`. */
  memoryIds: z.array(z.string()),
  count: z.number(),
})

const show = (turn: Turn, { records, count }: { records: readonly string[]; count: number }) => ({
  turn: turn.id,
  session: turn.session_id,
  number: turn.number,
  began_at: turn.began_at,
  ended_at: turn.ended_at,
  memoryIds: [...records],
  count,
})

const scopeOf = (call: Pick<CallPort, 'scope' | 'caller' | 'zone'>, persona: Persona, session: Session) => ({
  agent: writingAgent({ call }, persona),
  session: session.id,
})

export const turnCapabilities = [
  defineCapability({
    id: 'katra:begin_turn',
    permission: 'write',
    methods: ['turns.begin'],
    summary: 'Begins a turn of the session: later writes belong to it.',
    input,
    output: shown,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ persona: named, session: id }, at) {
      const persona = needPersona(at, named)
      const session = needOpen(at, persona, id)
      const last = lastTurn(at.records, session)
      if (last && last.ended_at === undefined) {
        throw notReady('already-initialized', 'A turn of this session is already open: end it first.', {
          path: 'session',
          turn: last.id,
        })
      }
      const number = (last?.number ?? 0) + 1
      const { now } = at.call
      const before = writtenIn(at.records, session, now, now).map(({ id: one }) => one)
      const body = {
        session_id: session.id,
        number,
        began_at: now,
        ...(before.length === 0 ? {} : { before: before.slice(0, turnLimit) }),
      }
      const scope = scopeOf(at.call, persona, session)
      const name = turnName(session, number)
      const turn = await at.records.write(({ records }) => records.put({ kind: 'turn', name, body, scope }))
      return show(needTurn(at.records, turn), { records: [], count: 0 })
    },
  }),
  defineCapability({
    id: 'katra:end_turn',
    permission: 'write',
    methods: ['turns.end'],
    summary: 'Ends the turn of the session, and returns its writes.',
    input,
    output: shown,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ persona: named, session: id }, at) {
      const persona = needPersona(at, named)
      const session = needOpen(at, persona, id)
      const turn = lastTurn(at.records, session)
      if (!turn || turn.ended_at !== undefined)
        throw notReady('not-initialized', 'No turn of this session is open: begin one first.', {
          path: 'session',
        })
      const { before: _before, ...rest } = bodyOf(turn) as unknown as TurnBody
      const written = recordsOfTurn(at, session, turn)
      const body = { ...rest, ...written, ended_at: at.call.now } as unknown as JsonObject
      await at.records.write(({ records }) => records.put({ kind: 'turn', id: turn.id, body, exact: true }))
      return show(needTurn(at.records, turn.id), written)
    },
  }),
  readVerb({
    id: 'katra:review_turn',
    method: 'turns.review',
    summary:
      'The records that were written in the turn of the session, or in its last one: one by its number if asked.',
    input: z
      .strictObject({
        persona: called,
        session: recordId.optional(),
        number: z.number().int().min(1).optional(),
      })
      .prefault({}),
    output: shown,
    run({ persona: named, session: id, number }, at) {
      const session = needSession(at, needPersona(at, named), id)
      const wanted = number === undefined ? undefined : at.records.find(turnName(session, number))
      const turn = number === undefined ? lastTurn(at.records, session) : readableOne(turnKind, wanted)
      if (!turn) throw notReady('not-initialized', 'This session has no such turn.', { path: 'number' })
      return show(turn, recordsOfTurn(at, session, turn))
    },
  }),
] as const
