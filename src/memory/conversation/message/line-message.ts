// Which messages of the book the lines of a given history are: what is made of the history follows those.
// Invariant: a line is the message that its id names, by the id of the message or of its record. Without an id, or with one that
// names none, it is every message of the agent that says the same, at the same time where it has one. A line that is no message
// yet has keys, by which it is known when it becomes one.
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

/** The keys of a line of `agent` that is no message yet. */
export function lineKeys(agent: string, { id, content, timestamp = '' }: Said): string[] {
  const said = awaitedKey('said', agent, content.trim(), timestamp)
  return id ? [awaitedKey('id', agent, id), said] : [said]
}

/** The keys that a line has which is the message `body` of `agent`. */
export function messageKeys(
  { msg_id: id, content, timestamp }: Partial<MessageBody>,
  agent: string,
): string[] {
  if (typeof content !== 'string') return []
  return [...lineKeys(agent, { content }), ...lineKeys(agent, { id, content, timestamp })]
}

/** The ids of the messages that each of `lines` is. */
export function createLineMessages({ records }: At, agent: string, lines: readonly Said[]) {
  const named = new Map(
    lines.flatMap(({ id }) => (id ? [[id, messageNamed(records, agent, id)] as const] : [])),
  )
  // A longer line is no message: a message has at most `contentLimit` characters.
  const plain = lines.flatMap(({ id, content }) =>
    (id && named.get(id)) || content.trim() === '' || content.length > contentLimit ? [] : [content],
  )
  const filters = { agent, content: { in: [...new Set(plain)] } }
  const found =
    plain.length === 0 ? [] : records.query({ kind: 'message', filters, limit: sameLimit }).records
  const byContent = Map.groupBy(found, ({ content }) => String(content))
  return ({ id, content, timestamp }: Said): string[] => {
    const known = id && named.get(id)
    if (known) return [known]
    const same = byContent.get(content) ?? []
    return same
      .filter((one) => timestamp === undefined || one['timestamp'] === timestamp)
      .map((one) => one.id)
  }
}

/** The message with this id, its own or that of its record. */
function messageNamed(records: At['records'], agent: string, id: string): string | undefined {
  const named = records.find(namedMessage(agent, id))
  if (named) return named.id
  return records.get(id)?.kind === 'message' ? id : undefined
}
