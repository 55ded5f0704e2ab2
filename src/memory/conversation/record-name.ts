// By what names the records of conversations are known: each follows from whose it is, so whoever sees all that an agent
// has written sees what stands there.
import { namedMessageId, saidMessageId } from '../../core/text/message-id.ts'
import { nameHash } from '../../core/text/murmur.ts'
import { profileId } from '../../core/text/profile-id.ts'
import type { RecordName } from '../../core/put-request.ts'

const ofAgent = (kind: string, agent: string, id: string): RecordName => ({
  kind,
  id,
  scopes: [`agent:${agent}`],
})

/** The message that `agent` knows as `msgId`. */
export const namedMessage = (agent: string, msgId: string): RecordName =>
  ofAgent('message', agent, namedMessageId(agent, msgId))

/** A message without a name that was said at a time of its own. */
export const saidMessage = (...[where, what]: Parameters<typeof saidMessageId>): RecordName =>
  ofAgent('message', where.agent, saidMessageId(where, what))

/** What `agent` knows of `user`. */
export const profileOf = (agent: string, user: string): RecordName =>
  ofAgent('profile', agent, profileId(agent, user))

/** The episode of a stretch of conversation, or the answer to a question: made from the words of it. */
export const wordedRecord = (
  kind: 'episode' | 'answer',
  agent: string,
  words: readonly string[],
): RecordName => ofAgent(kind, agent, `${kind}-${nameHash(agent, ...words)}`)
