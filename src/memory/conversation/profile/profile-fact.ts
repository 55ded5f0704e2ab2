// Facts of a user: derives the current and the former facts from dated statements, and removes the statements of
// forgotten messages. Of an attribute with one value, the value stated last is current.
// Invariant: learning is commutative, associative and idempotent, so order and device don't matter. A fact stays only
// while a message that states it remains, or if no message was ever known; its times are supported by remaining
// messages.
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { type KnownFact, profileBody, profileLimits } from './profile-schema.ts'
import { fold } from '../../../core/text/fold.ts'
import { findStatements, isSingleValued, opposites, type Statement } from './user-fact.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { type Message, readableMessages } from '../message/message-kind.ts'

export type Facts = Readonly<Record<string, KnownFact>>

/** A statement with its time and the ids of its messages, if they are stored. */
export interface DatedStatement extends Statement {
  readonly at: string
  readonly messages?: readonly string[] | undefined
  /** Keys of its line, if no message of the line is stored yet. */
  readonly lines?: readonly string[] | undefined
}

/** A fact as callers see it. A former fact has the value that replaced it, unless it was only denied. */
interface FactOutput {
  readonly attribute: string
  readonly value: string
  readonly since: string
  readonly stated_at: string
  readonly messages: readonly string[]
  readonly superseded_at?: string
  readonly superseded_by?: string
}

/** Key of a fact: attribute and folded value. */
const factKey = (attribute: string, value: string) => `${attribute}: ${fold(value)}`

/** Returns `facts` with the statements added. */
export function addStatements(facts: Facts, statements: readonly DatedStatement[]): Facts {
  const learnedFacts: Record<string, KnownFact> = { ...facts }
  for (const { attribute, value, denied, at, messages = [], lines = [] } of statements) {
    const key = factKey(attribute, value)
    const existing = learnedFacts[key]
    const stated_at = latestOf(existing?.stated_at, denied ? undefined : at)
    const denied_at = latestOf(existing?.denied_at, denied ? at : undefined)
    const keys = [...new Set([...(existing?.lines ?? []), ...lines])].slice(-profileLimits.messages)
    learnedFacts[key] = {
      ...existing,
      attribute,
      value: chooseSpelling(existing, { value, denied, at }),
      since: existing && existing.since < at ? existing.since : at,
      ...defined({ stated_at, denied_at }),
      messages: [...new Set([...(existing?.messages ?? []), ...messages])]
        .toSorted()
        .slice(-profileLimits.messages),
      ...(keys.length === 0 ? {} : { lines: keys }),
    }
  }
  return learnedFacts
}

/** Returns the facts with the line `key` replaced by its messages `ids`. */
export function linkMessages(before: Facts, key: string, ids: readonly string[]): Facts {
  const facts = Object.entries(before).map(([name, fact]) => {
    const { lines = [], messages } = fact
    if (!lines.includes(key)) return [name, fact] as const
    const messageIds = [...new Set([...messages, ...ids])].toSorted().slice(-profileLimits.messages)
    return [
      name,
      { ...fact, messages: messageIds, lines: lines.filter((lineKey) => lineKey !== key) },
    ] as const
  })
  return Object.fromEntries(facts)
}

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

/** Splits facts into current and former ones, each latest first. */
export function splitFacts(facts: Facts): { current: FactOutput[]; earlier: FactOutput[] } {
  const everyFact = Object.values(facts)
  const affirmed = everyFact.filter(
    ({ stated_at, denied_at }) =>
      stated_at !== undefined && (denied_at === undefined || denied_at < stated_at),
  )
  const outputs = everyFact
    .map((fact): FactOutput => {
      const { attribute, value, since, messages, denied_at = since } = fact
      const plain = { attribute, value, since, stated_at: fact.stated_at ?? since, messages }
      if (!affirmed.includes(fact)) return { ...plain, superseded_at: denied_at }
      const replacement = affirmed
        .filter((candidate) => candidate !== fact && excludes(candidate, fact))
        .toSorted(compareByTime)[0]
      if (!replacement || compareByTime(fact, replacement) < 0) return plain
      const supersededBy =
        replacement.attribute === attribute
          ? replacement.value
          : `${replacement.attribute}: ${replacement.value}`
      return {
        ...plain,
        superseded_at: replacement.stated_at ?? replacement.since,
        superseded_by: supersededBy,
      }
    })
    .toSorted(compareByTime)
  return {
    current: outputs.filter((fact) => fact.superseded_at === undefined),
    earlier: outputs.filter((fact) => fact.superseded_at !== undefined),
  }
}

function excludes(a: KnownFact, b: KnownFact): boolean {
  if (a.attribute === b.attribute) return isSingleValued(a.attribute)
  return opposites[a.attribute] === b.attribute && fold(a.value) === fold(b.value)
}

interface Timed {
  readonly attribute: string
  readonly value: string
  readonly since: string
  readonly stated_at?: string | undefined
}

/** Sorts latest first; for equal times, by key, so that every device has the same order. */
function compareByTime(first: Timed, second: Timed): number {
  const at = first.stated_at ?? first.since
  const otherAt = second.stated_at ?? second.since
  if (at !== otherAt) return at > otherAt ? -1 : 1
  const a = factKey(first.attribute, first.value)
  const b = factKey(second.attribute, second.value)
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * The current facts as text, one line for each attribute, single values first. The last line counts those that
 * don't fit.
 */
export function profileText(facts: Facts): string {
  const { current } = splitFacts(facts)
  const lines = new Map<string, string[]>()
  for (const { attribute, value } of current.toSorted(
    (a, b) => Number(isSingleValued(b.attribute)) - Number(isSingleValued(a.attribute)),
  ))
    lines.set(attribute, [...(lines.get(attribute) ?? []), value])
  const allLines = [...lines].map(([attribute, values]) => `${attribute}: ${values.join(', ')}`)
  const maxLength = profileLimits.characters - 40
  const fittingLines: string[] = []
  let length = 0
  for (const line of allLines) {
    if (length + line.length + 1 > maxLength) continue
    fittingLines.push(line)
    length += line.length + 1
  }
  const omitted = allLines.length - fittingLines.length
  return omitted === 0 ? fittingLines.join('\n') : [...fittingLines, `and ${omitted} more`].join('\n')
}

/**
 * Returns the body of a profile with its text derived from its facts. A profile without facts keeps its text, which
 * another client wrote; facts of another shape stay unchanged.
 */
export function settleProfile(body: JsonObject): JsonObject {
  const { facts: stored } = body
  if (!isJsonObject(stored) || Object.keys(stored).length === 0) return body
  const facts = Object.fromEntries(
    Object.entries(stored).map(([key, fact]) => [key, withLatestMessages(fact)]),
  )
  const parsed = profileBody.shape.facts.safeParse(facts)
  return parsed.success ? { ...body, facts, content: profileText(parsed.data) } : body
}

/** Keeps the last messages of a fact: merged devices may know more of them than the limit. */
function withLatestMessages(fact: Json): Json {
  if (!isJsonObject(fact) || !Array.isArray(fact['messages'])) return fact
  const messages = fact['messages'] as readonly Json[]
  if (messages.length <= profileLimits.messages) return fact
  return { ...fact, messages: messages.toSorted().slice(-profileLimits.messages) }
}

/** A message that was not forgotten, with its statements about the user that the patterns find. */
interface RemainingMessage {
  readonly timestamp: string
  readonly statements: readonly DatedStatement[]
}

/** Returns the facts without the lines of `goneKeys`. A fact with no other line or message is removed. */
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
 * Returns the facts without those whose messages are all missing from `remaining`. Facts that never named a message
 * stay.
 */
function withoutForgottenMessages(facts: Facts, remaining: ReadonlyMap<string, RemainingMessage>): Facts {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([key, fact]) => {
      const released = withoutForgottenMessagesOf(fact, remaining)
      return released ? [[key, released]] : []
    }),
  )
}

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

/** Returns the facts without forgotten messages. `goneKeys`: keys of lines whose message was forgotten. */
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

function toRemainingMessage({ id, content, source, timestamp }: Message): RemainingMessage {
  const statements = findStatements([{ content, source, timestamp }])
  return {
    timestamp,
    statements: statements.map(({ statement }) => ({ ...statement, at: timestamp, message: id })),
  }
}
