// The facts of a profile as they are without the messages that are gone, read from the book.
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import type { Message } from '../message/message-schema.ts'
import { messagesLeft } from '../message/messages-left.ts'
import type { Facts } from './profile-fact.ts'
import { factsWithoutGone, type LeftMessage, releaseFacts } from './release-fact.ts'
import { findStatements } from './user-fact.ts'

/** What is left of `facts`; `goneKeys` are of lines whose message was forgotten. */
export function factsLeft(
  at: { readonly records: Pick<RecordReader, 'get'> },
  known: Facts,
  goneKeys: readonly string[],
): Facts {
  const facts = factsWithoutGone(known, goneKeys)
  const ids = Object.values(facts).flatMap(({ messages }) => messages)
  return releaseFacts(facts, new Map(messagesLeft(at, ids).map((one) => [one.id, readMessage(one)])))
}

function readMessage({ id, content, source, timestamp }: Message): LeftMessage {
  const statements = findStatements([{ content, source, timestamp }])
  return {
    timestamp,
    statements: statements.map(({ statement }) => ({ ...statement, at: timestamp, message: id })),
  }
}
