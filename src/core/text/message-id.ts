// Ids of messages, which follow from what they say they are: stored twice, on one device or on two, or first imported and
// then stored, a message is one record.
import { nameHash } from './murmur.ts'

/** The record of the message that `agent` knows as `msgId`. */
export function namedMessageId(agent: string, msgId: string): string {
  return `msg-${nameHash(agent, msgId)}`
}

/** The record of a message without a name that was said at a time of its own. */
export function saidMessageId(
  { agent, session = '' }: { readonly agent: string; readonly session?: string | undefined },
  { said, source, content }: { readonly said: string; readonly source: object; readonly content: string },
): string {
  return `msg-${nameHash(agent, session, said, JSON.stringify(source), content)}`
}
