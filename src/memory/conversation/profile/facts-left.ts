// The facts of a profile as they are without the messages that are gone, read from the book.
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import type { Message } from '../message/message-schema.ts'
import { messagesLeft } from '../message/messages-left.ts'
import type { Facts } from './profile-fact.ts'
import { type LeftMessage, releaseFacts } from './release-fact.ts'
import { findStatements } from './user-fact.ts'

/** What is left of `facts`. */
export function factsLeft(at: { readonly records: Pick<RecordReader, 'get'> }, facts: Facts): Facts {
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
