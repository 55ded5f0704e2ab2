// Learns facts of a user from dated statements, and removes the statements of forgotten messages. A line is a message
// of a history that was not stored yet, named by a key (see lineKeys in message/message-kind.ts).
// Invariant: learning is commutative, associative and idempotent, so order and device don't matter. A fact stays only
// while a message that states it remains, or if no message was ever known; its times are supported by remaining
// messages.
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { type Message, readableMessages } from '../message/message-kind.ts'
import { factKey, type Facts } from './profile-fact.ts'
import { type KnownFact, profileLimits } from './profile-schema.ts'
import type { Statement } from './statement.ts'
import { findStatements } from './user-fact.ts'

/** A statement with its time and the ids of its messages, if they are stored. */
export interface DatedStatement extends Statement {
  /** Canonical time of the statement. */
  readonly at: string
  /** Ids of its messages, if they are stored. */
  readonly messages?: readonly string[] | undefined
  /** Keys of its line, if no message of the line is stored yet. */
  readonly lines?: readonly string[] | undefined
}

/** Returns `facts` with the statements added. */
export function addStatements(facts: Facts, statements: readonly DatedStatement[]): Facts {
  const learnedFacts: Record<string, KnownFact> = { ...facts }
  for (const { attribute, value, denied, at, messages = [], lines = [] } of statements) {
    const key = factKey(attribute, value)
    const existing = learnedFacts[key]
    const stated_at = latestOf(existing?.stated_at, denied ? undefined : at)
    const denied_at = latestOf(existing?.denied_at, denied ? at : undefined)
    const keys = lastSorted([...(existing?.lines ?? []), ...lines])
    learnedFacts[key] = {
      ...existing,
      attribute,
      value: chooseSpelling(existing, { value, denied, at }),
      since: existing && existing.since < at ? existing.since : at,
      ...defined({ stated_at, denied_at }),
      messages: lastSorted([...(existing?.messages ?? []), ...messages]),
      ...(keys.length === 0 ? {} : { lines: keys }),
    }
  }
  return learnedFacts
}

/** The last sources, each once. Sorted, so that every device drops the same ones. */
const lastSorted = (sources: readonly string[]): string[] =>
  [...new Set(sources)].toSorted().slice(-profileLimits.messages)

/** Spelling of the latest statement. For equal times, and between denials, the spelling that sorts first. */
function chooseSpelling(
  existing: KnownFact | undefined,
  { value, denied, at }: Pick<DatedStatement, 'value' | 'denied' | 'at'>,
): string {
  if (!existing) return value
  if (denied && existing.stated_at !== undefined) return existing.value
  const isLater = !denied && (existing.stated_at === undefined || at > existing.stated_at)
  const isEarlier = !denied && existing.stated_at !== undefined && at < existing.stated_at
  if (isLater || isEarlier) return isLater ? value : existing.value
  return value < existing.value ? value : existing.value
}

function latestOf(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return a > b ? a : b
}

/** A message that was not forgotten, with its statements about the user that the patterns find. */
interface RemainingMessage {
  readonly timestamp: string
  readonly statements: readonly DatedStatement[]
}

/** Returns the facts without the lines of `forgottenKeys`. A fact with no other line or message is removed. */
export function withoutForgottenLines(facts: Facts, forgottenKeys: readonly string[]): Facts {
  if (forgottenKeys.length === 0) return facts
  return Object.fromEntries(
    Object.entries(facts).flatMap(([key, fact]) => {
      const { lines = [], messages } = fact
      const rest = lines.filter((lineKey) => !forgottenKeys.includes(lineKey))
      if (rest.length === lines.length) return [[key, fact]]
      return rest.length + messages.length === 0 ? [] : [[key, { ...fact, lines: rest }]]
    }),
  )
}

/**
 * Returns the facts without those whose messages are all missing from `remaining`, by message id. Facts that
 * never named a message stay.
 */
function withoutForgottenMessages(facts: Facts, remaining: ReadonlyMap<string, RemainingMessage>): Facts {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([key, fact]) => {
      const released = withoutForgottenMessagesOf(fact, remaining)
      return released ? [[key, released]] : []
    }),
  )
}

/** Returns `fact` as its remaining messages state it; undefined if neither a message nor a line remains. */
function withoutForgottenMessagesOf(
  fact: KnownFact,
  remaining: ReadonlyMap<string, RemainingMessage>,
): KnownFact | undefined {
  const messages = fact.messages.filter((id) => remaining.has(id))
  if (messages.length === fact.messages.length) return fact
  const { lines = [] } = fact
  if (messages.length === 0) return lines.length > 0 ? { ...fact, messages } : undefined
  const key = factKey(fact.attribute, fact.value)
  const remainingMessages = messages.map((id) => remaining.get(id)).filter((message) => message !== undefined)
  const stated = remainingMessages.flatMap(({ statements }) =>
    statements.filter((statement) => factKey(statement.attribute, statement.value) === key),
  )
  // Rebuild statements that the patterns find from the messages. A fact that a model found keeps only the times that
  // its messages support.
  const relearned = stated.length > 0 ? addStatements({}, stated)[key] : undefined
  const { stated_at, denied_at, ...plain } = fact
  if (relearned) return { ...plain, ...relearned, messages }
  const times = remainingMessages.map(({ timestamp }) => timestamp).toSorted()
  const last = times.at(-1) ?? fact.since
  return {
    ...plain,
    messages,
    since: laterOf(fact.since, times[0] ?? fact.since),
    ...(stated_at === undefined ? {} : { stated_at: stated_at < last ? stated_at : last }),
    ...(denied_at !== undefined && times.includes(denied_at) ? { denied_at } : {}),
  }
}

function laterOf(a: string, b: string): string {
  return a > b ? a : b
}

/**
 * Returns the facts without forgotten messages, and without facts that no message or line states any more.
 * `forgottenKeys`: keys of lines whose message was forgotten.
 */
export function remainingFacts(
  at: { readonly records: Pick<RecordReader, 'get'> },
  currentFacts: Facts,
  forgottenKeys: readonly string[],
): Facts {
  const facts = withoutForgottenLines(currentFacts, forgottenKeys)
  const ids = Object.values(facts).flatMap(({ messages }) => messages)
  return withoutForgottenMessages(
    facts,
    new Map(readableMessages(at, ids).map((message) => [message.id, toRemainingMessage(message)])),
  )
}

function toRemainingMessage({ content, source, timestamp }: Message): RemainingMessage {
  const statements = findStatements([{ content, source, timestamp }])
  return {
    timestamp,
    statements: statements.map(({ statement }) => ({ ...statement, at: timestamp })),
  }
}
