// Puts messages into the book, each once.
// Invariant: the id of a message that has a name, or a time of its own, follows from what it says it is. So the same
// message stored twice, on one device or on two that sync later, is one record.
import type { WriteContext } from '../../../core/capability/context.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Sensitivity } from '../../../core/sealed.ts'
import { beginningOf } from '../../../core/calendar/day.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import type { MessageInput } from './message-schema.ts'
import { namedMessage, saidMessage } from '../record-name.ts'

export type StoreOutcome =
  | { readonly result: 'stored'; readonly id: string }
  | { readonly result: 'skipped'; readonly id?: string; readonly reason: SkipReason }
export type SkipReason = 'empty content' | 'duplicate msg_id' | 'duplicate content'

/** Whose message it is; what is left out is the book's own. */
export interface MessageScope {
  readonly agent: string
  readonly session?: string
  readonly resource?: string
  readonly sensitivity?: Sensitivity | undefined
}

/**
 * Stores one message, or says why not: nothing in it, its name is known, or, without a name, the same words of the
 * same speaker at the same instant are. `later` puts a message without a time so many milliseconds after now, which
 * keeps the order of messages that are stored together.
 */
export function storeMessage(
  input: MessageInput,
  scope: MessageScope,
  { call: { now, zone }, records }: WriteContext<'records'>,
  later = 0,
): StoreOutcome {
  const { id: msgId = '', content, source, timestamp: given, metadata, target_agent: target } = input
  const said = given && beginningOf(given, zone)
  if (content.trim() === '') return { result: 'skipped', reason: 'empty content' }
  const name =
    msgId !== ''
      ? namedMessage(scope.agent, msgId)
      : said === undefined
        ? undefined
        : saidMessage(scope, { said, source, content })
  const known = name && records.find(name)
  const isSame =
    known?.agent === scope.agent && (msgId !== '' ? known['msg_id'] === msgId : known['content'] === content)
  if (known && isSame)
    return {
      result: 'skipped',
      id: known.id,
      reason: msgId !== '' ? 'duplicate msg_id' : 'duplicate content',
    }
  const timestamp = said ?? formatTime((parseTime(now) ?? 0) + later)
  const body = {
    msg_id: msgId,
    content,
    source,
    timestamp,
    metadata,
    ...(target == null ? {} : { target_agent: target }),
  } as unknown as JsonObject
  // A stranger under our name, however unlikely, keeps its place.
  const put = { kind: 'message', body, scope, checked: true }
  return { result: 'stored', id: records.put(known ? put : { ...put, name }) }
}
