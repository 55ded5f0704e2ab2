// Stores messages, each once.
// Invariant: the id of a message derives from its name, or from its own time and content. So a message that is stored
// twice, on one device or on two that sync later, is one record.
import type { WriteContext } from '../../../core/capability/context.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Sensitivity } from '../../../core/sealed.ts'
import { beginningOf } from '../../../core/zone.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import type { MessageInput } from './message-kind.ts'
import { messageName, unnamedMessageName } from './conversation-scope.ts'

/** `id` of a skipped message: the existing message; absent for empty content. */
export type StoreOutcome =
  | { readonly result: 'stored'; readonly id: string }
  | { readonly result: 'skipped'; readonly id?: string; readonly reason: SkipReason }
export type SkipReason = 'empty content' | 'duplicate msg_id' | 'duplicate content'

/** Scope of the message to store. */
export interface MessageScope {
  readonly agent: string
  readonly session?: string
  readonly resource?: string
  readonly sensitivity?: Sensitivity | undefined
}

/**
 * Stores one message, or returns the reason why it is skipped: its content is empty, its name exists, or, without a
 * name, the same message with the same time exists. `offsetMs`: milliseconds to add to the time of a message without a
 * time, which preserves the order of messages stored together.
 */
export function storeMessage(
  input: MessageInput,
  scope: MessageScope,
  { call: { now, zone }, records }: WriteContext<'records'>,
  offsetMs = 0,
): StoreOutcome {
  const { id: msgId = '', content, source, timestamp: inputTime, metadata, target_agent: target } = input
  const time = inputTime && beginningOf(inputTime, zone)
  if (content.trim() === '') return { result: 'skipped', reason: 'empty content' }
  // A message with neither name nor time is new each time: nothing identifies a repetition.
  const name =
    msgId !== ''
      ? messageName(scope.agent, msgId)
      : time === undefined
        ? undefined
        : unnamedMessageName(scope, { at: time, source, content })
  const existing = name && records.find(name)
  const isSame =
    existing?.agent === scope.agent &&
    (msgId !== '' ? existing['msg_id'] === msgId : existing['content'] === content)
  if (existing && isSame)
    return {
      result: 'skipped',
      id: existing.id,
      reason: msgId !== '' ? 'duplicate msg_id' : 'duplicate content',
    }
  const timestamp = time ?? formatTime((parseTime(now) ?? 0) + offsetMs)
  const body = {
    msg_id: msgId,
    content,
    source,
    timestamp,
    metadata,
    ...(target == null ? {} : { target_agent: target }),
  } as unknown as JsonObject
  // Another record with this id, however unlikely, is not replaced: the message gets a random id.
  // `checked`: the input fits the kind already.
  const request = { kind: 'message', body, scope, checked: true }
  return { result: 'stored', id: records.put(existing ? request : { ...request, name }) }
}
