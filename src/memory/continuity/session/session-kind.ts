// The kinds `agent_session` and `turn`: a stretch in which a persona was awake in one place, and one answer of it there.
// Invariant: a session that has an end is ended, on whichever device that was done; an end is never taken back.
import { z } from 'zod'
import type { Kind } from '../../../core/kind.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { instant } from '../../../shape/instant.ts'
import { recordId } from '../../../shape/record-id.ts'

/** What is done at the end of a session, in this order, each in a transaction of its own. */
export const endSteps = ['snapshot', 'digest', 'consolidation', 'leave'] as const
export type EndStep = (typeof endSteps)[number]

/** Characters of what somebody is about. */
export const focusLimit = 2000

export const sessionBody = z.looseObject({
  /** The id of the persona. */
  persona: recordId,
  started_at: instant,
  /** `ending`: asked to end, and not all steps are done. */
  state: z.enum(['open', 'ending', 'ended']),
  /** The name of the copy of the book in which it was begun; empty for one that never synced. */
  device: z.string().max(200),
  /** It came into the meeting room: who has left that, with its tab, has left the session. */
  in_room: z.boolean(),
  ended_at: instant.optional(),
  /** `asked`; `left`: its tab had gone when another session was started; `idle`: nothing was done for half an hour. */
  end_reason: z.enum(['asked', 'left', 'idle']).optional(),
  focus: z.string().max(focusLimit).optional(),
  /** The steps of its end that are done. */
  done: z.array(z.enum(endSteps)).max(endSteps.length).default([]),
  /** What they made. */
  snapshot: recordId.optional(),
  digests: z.array(recordId).max(400).optional(),
  archived: z.number().int().nonnegative().optional(),
})
export type SessionBody = z.output<typeof sessionBody>

export const sessionKind: Kind<'agent_session', SessionBody> = {
  name: 'agent_session',
  summary: 'A stretch in which a persona was awake in one place: when it began, how it ended.',
  version: 1,
  schema: sessionBody,
  text: [],
  facets: { happened_at: 'started_at', subject: 'persona' },
  policy: 'merge',
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
  links: ['snapshot', 'digests'],
  embed: false,
  recallable: () => false,
}

/** Ids that a turn names; of those beyond only the number is known. */
export const turnLimit = 1000

export const turnBody = z.looseObject({
  session_id: recordId,
  /** Counted from 1 in its session. */
  number: z.number().int().positive(),
  began_at: instant,
  ended_at: instant.optional(),
  /** What had been written in the very millisecond of its beginning, before it. */
  before: z.array(recordId).max(turnLimit).optional(),
  /** Once it has ended: the records that were written in it. */
  records: z.array(recordId).max(turnLimit).optional(),
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
  links: ['before', 'records'],
  embed: false,
  recallable: () => false,
}
