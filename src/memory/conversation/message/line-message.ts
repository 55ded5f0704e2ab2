// Which messages of the book the lines of a given history are: what is made of the history follows those.
// Invariant: a line without an id is every message of the agent that says the same, at the same time where it has one. A line
// that is no message yet has a key, by which it is known when it becomes one.
import type { ReadContext } from '../../../core/capability/context.ts'
import { awaitedKey } from '../../../core/kind.ts'
import { namedMessage } from '../record-name.ts'
import type { Line } from './history.ts'
import { contentLimit, type MessageBody } from './message-schema.ts'

type At = Pick<ReadContext<'records'>, 'records'>

/** What of a line tells which messages it is. */
interface Said extends Pick<Line, 'content'> {
  readonly id?: string | undefined
  readonly timestamp?: string | undefined
}

/** Messages that say the same as some line, at most; words that more have are said by everybody. */
const sameLimit = 1000

/** The key of a line of `agent` that is no message yet. */
export function lineKey(agent: string, { id, content, timestamp = '' }: Said): string {
  return id ? awaitedKey('id', agent, id) : awaitedKey('said', agent, content.trim(), timestamp)
}

/** The keys that a line has which is the message `body` of `agent`. */
export function messageKeys(
  { msg_id: id, content, timestamp }: Partial<MessageBody>,
  agent: string,
): string[] {
  if (typeof content !== 'string') return []
  const plain = [lineKey(agent, { content }), lineKey(agent, { content, timestamp })]
  return id ? [lineKey(agent, { id, content }), ...plain] : plain
}

/** The ids of the messages that each of `lines` is. */
export function createLineMessages({ records }: At, agent: string, lines: readonly Said[]) {
  // A longer line is no message: a message has at most `contentLimit` characters.
  const plain = lines.flatMap(({ id, content }) =>
    id || content.trim() === '' || content.length > contentLimit ? [] : [content],
  )
  const filters = { agent, content: { in: [...new Set(plain)] } }
  const found =
    plain.length === 0 ? [] : records.query({ kind: 'message', filters, limit: sameLimit }).records
  const byContent = Map.groupBy(found, ({ content }) => String(content))
  return ({ id, content, timestamp }: Said): string[] => {
    if (id) return [records.find(namedMessage(agent, id))?.id ?? []].flat()
    const same = byContent.get(content) ?? []
    return same
      .filter((one) => timestamp === undefined || one['timestamp'] === timestamp)
      .map((one) => one.id)
  }
}
