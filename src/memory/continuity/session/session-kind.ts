// The kinds `agent_session` and `turn`. A session is a period in which a persona is active in one place; a turn is
// one answer of the persona in a session.
// Invariant: a session with `ended_at` is ended, whichever device ended it, and never reopens.
import { z } from 'zod'
import type { Kind } from '../../../core/kind.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { instant, recordId } from '../../../shape/field.ts'
import { snapshotLimits } from '../snapshot/snapshot-kind.ts'

/**
 * The recurring task: ends abandoned sessions, and consolidates when due. `byVerb`: the owner's first start of a session
 * sets it up; the opening of the book does not.
 */
export const upkeepTask = {
  id: 'katra.upkeep',
  capability: 'katra:upkeep',
  every: '10m',
  byVerb: true,
} as const

/** Steps at the end of a session, in order. `consolidation` archives records, `leave` leaves the meeting room. */
export const endSteps = ['snapshot', 'digest', 'consolidation', 'leave'] as const
export type EndStep = (typeof endSteps)[number]

/** Most characters of a focus; the snapshot at the end quotes it in full. */
export const maxFocusLength = snapshotLimits.focus

export const sessionBody = z.looseObject({
  /** Id of the persona. */
  persona: recordId,
  started_at: instant,
  /** `ending`: the end has begun, and some steps are not finished. */
  state: z.enum(['open', 'ending', 'ended']),
  /** Name of the copy of the book in which the session began; empty if that copy never synced. */
  device: z.string().max(200),
  /**
   * True if the session joined the meeting room. When the persona is no longer there, the next upkeep or session start
   * on this device ends the session.
   */
  in_room: z.boolean(),
  /** The agent that started the session for its persona, such as a window of a host: only its calls mean this session. */
  connection: z.string().max(200).optional(),
  ended_at: instant.optional(),
  /**
   * `request`: a caller ended the session. `disconnected`: the persona was no longer in the room. `idle`: half an
   * hour without activity.
   */
  end_reason: z.enum(['request', 'disconnected', 'idle']).optional(),
  /** The persona's focus at the end, for its snapshot. Absent: the snapshot derives one. */
  focus: z.string().max(maxFocusLength).optional(),
  /** Steps of `endSteps` that are finished. */
  done: z.array(z.enum(endSteps)).max(endSteps.length).default([]),
  /** Results of the finished steps: ids, and the number of archived records. */
  snapshot: recordId.optional(),
  digests: z.array(recordId).max(400).optional(),
  archived: z.number().int().nonnegative().optional(),
})
export type SessionBody = z.output<typeof sessionBody>

export const sessionKind: Kind<'agent_session', SessionBody> = {
  name: 'agent_session',
  summary: 'A period in which a persona is active in one place: its begin and its end.',
  version: 1,
  schema: sessionBody,
  text: [],
  facets: { happened_at: 'started_at', subject: 'persona' },
  policy: 'merge',
  // Two devices may end one session. `derived`: the later edit's value wins, and the conflict log gets no entry; `settle`
  // recomputes only `state`. The other fields follow the default: `done` merges as a set. Two different texts in `focus`
  // are a conflict: the later wins, and the conflict log has the other one.
  merge: {
    ended_at: 'min',
    state: 'derived',
    end_reason: 'derived',
    archived: 'derived',
    snapshot: 'derived',
    digests: 'derived',
  },
  settle(body: JsonObject): JsonObject {
    return typeof body['ended_at'] === 'string' && body['state'] !== 'ended'
      ? { ...body, state: 'ended' }
      : body
  },
  // Not `persona`, the owner of the record (see `links` in core/kind.ts).
  links: ['snapshot', 'digests'],
  embed: false,
  recallable: false,
}

/** Most ids in a turn; further records are only counted. */
export const maxTurnRecords = 1000

export const turnBody = z.looseObject({
  session_id: recordId,
  /** Number of the turn in its session, from 1. */
  number: z.number().int().positive(),
  began_at: instant,
  ended_at: instant.optional(),
  /**
   * Records of the session with the same millisecond as `began_at` that were written before the turn; they don't belong
   * to it. Absent once the turn has ended.
   */
  before: z.array(recordId).max(maxTurnRecords).optional(),
  /** Ids of the records written in the turn; absent while it is open. */
  records: z.array(recordId).max(maxTurnRecords).optional(),
  /** Number of these records, also those beyond `maxTurnRecords`. */
  count: z.number().int().nonnegative().optional(),
})
export type TurnBody = z.output<typeof turnBody>

export const turnKind: Kind<'turn', TurnBody> = {
  name: 'turn',
  idPrefix: 'turn::',
  summary:
    'One turn of a session: the records of any kind that were written between its beginning and its end.',
  version: 1,
  schema: turnBody,
  text: [],
  facets: { happened_at: 'began_at', subject: 'session_id' },
  policy: 'merge',
  merge: { ended_at: 'min' },
  // Not `session_id`, the owner of the record.
  links: ['before', 'records'],
  embed: false,
  recallable: false,
}
