// Facts of a user: derives the current and the former facts from dated statements, and removes the statements of
// forgotten messages. Of an attribute with one value, the value stated last is current.
// Invariant: learning is commutative, associative and idempotent, so order and device don't matter. A fact stays only
// while a message that states it remains, or if no message was ever known; its times are supported by remaining
// messages.
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { type KnownFact, profileBody, profileLimit } from './profile-schema.ts'
import { fold } from '../../../core/text/fold.ts'
import { findStatements, isSingle, opposites, type Statement } from './user-fact.ts'
import type { RecordReader } from '../../../core/capability/port/record-port.ts'
import { defined } from '../../../core/defined.ts'
import { type Message, messagesLeft } from '../message/message-kind.ts'

export type Facts = Readonly<Record<string, KnownFact>>

/** A statement with its time and the ids of its messages, if they are stored. */
export interface DatedStatement extends Statement {
  readonly at: string
  readonly messages?: readonly string[] | undefined
  /** Keys of its line, if no message of the line is stored yet. */
  readonly lines?: readonly string[] | undefined
}

/** A fact as callers see it. A former fact has the value that replaced it, unless it was only denied. */
interface ShownFact {
  readonly attribute: string
  readonly value: string
  readonly since: string
  readonly stated_at: string
  readonly messages: readonly string[]
  readonly superseded_at?: string
  readonly superseded_by?: string
}

/** Key of a fact: attribute and folded value. */
const keyOf = (attribute: string, value: string) => `${attribute}: ${fold(value)}`

/** Returns `facts` with the statements added. */
export function learn(facts: Facts, statements: readonly DatedStatement[]): Facts {
  const learned: Record<string, KnownFact> = { ...facts }
  for (const { attribute, value, denied, at, messages = [], lines = [] } of statements) {
    const key = keyOf(attribute, value)
    const before = learned[key]
    const stated_at = latest(before?.stated_at, denied ? undefined : at)
    const denied_at = latest(before?.denied_at, denied ? at : undefined)
    const keys = [...new Set([...(before?.lines ?? []), ...lines])].slice(-profileLimit.messages)
    learned[key] = {
      ...before,
      attribute,
      value: spelling(before, { value, denied, at }),
      since: before && before.since < at ? before.since : at,
      ...defined({ stated_at, denied_at }),
      messages: [...new Set([...(before?.messages ?? []), ...messages])]
        .toSorted()
        .slice(-profileLimit.messages),
      ...(keys.length === 0 ? {} : { lines: keys }),
    }
  }
  return learned
}

/** Returns the facts with the line `key` replaced by its messages `ids`. */
export function factsNaming(before: Facts, key: string, ids: readonly string[]): Facts {
  const facts = Object.entries(before).map(([name, fact]) => {
    const { lines = [], messages } = fact
    if (!lines.includes(key)) return [name, fact] as const
    const named = [...new Set([...messages, ...ids])].toSorted().slice(-profileLimit.messages)
    return [name, { ...fact, messages: named, lines: lines.filter((one) => one !== key) }] as const
  })
  return Object.fromEntries(facts)
}

/** Spelling of the latest statement. For equal times, and between denials, the spelling that sorts first. */
function spelling(
  before: KnownFact | undefined,
  { value, denied, at }: Pick<DatedStatement, 'value' | 'denied' | 'at'>,
): string {
  if (!before) return value
  if (denied && before.stated_at !== undefined) return before.value
  const isLater = !denied && (before.stated_at === undefined || at > before.stated_at)
  const isEarlier = !denied && before.stated_at !== undefined && at < before.stated_at
  if (isLater || isEarlier) return isLater ? value : before.value
  return value < before.value ? value : before.value
}

function latest(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one > other ? one : other
}

/** Splits facts into current and former ones, each latest first. */
export function splitFacts(facts: Facts): { current: ShownFact[]; earlier: ShownFact[] } {
  const all = Object.values(facts)
  const holding = all.filter(
    ({ stated_at, denied_at }) =>
      stated_at !== undefined && (denied_at === undefined || denied_at < stated_at),
  )
  const shown = all
    .map((fact): ShownFact => {
      const { attribute, value, since, messages, denied_at = since } = fact
      const plain = { attribute, value, since, stated_at: fact.stated_at ?? since, messages }
      if (!holding.includes(fact)) return { ...plain, superseded_at: denied_at }
      const rival = holding.filter((other) => other !== fact && excludes(other, fact)).toSorted(byTime)[0]
      if (!rival || byTime(fact, rival) < 0) return plain
      const by = rival.attribute === attribute ? rival.value : `${rival.attribute}: ${rival.value}`
      return { ...plain, superseded_at: rival.stated_at ?? rival.since, superseded_by: by }
    })
    .toSorted(byTime)
  return {
    current: shown.filter((fact) => fact.superseded_at === undefined),
    earlier: shown.filter((fact) => fact.superseded_at !== undefined),
  }
}

function excludes(one: KnownFact, other: KnownFact): boolean {
  if (one.attribute === other.attribute) return isSingle(one.attribute)
  return opposites[one.attribute] === other.attribute && fold(one.value) === fold(other.value)
}

interface Timed {
  readonly attribute: string
  readonly value: string
  readonly since: string
  readonly stated_at?: string | undefined
}

/** Sorts latest first; for equal times, by key, so that every device has the same order. */
function byTime(one: Timed, other: Timed): number {
  const at = one.stated_at ?? one.since
  const otherAt = other.stated_at ?? other.since
  if (at !== otherAt) return at > otherAt ? -1 : 1
  const a = keyOf(one.attribute, one.value)
  const b = keyOf(other.attribute, other.value)
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * The current facts as text, one line for each attribute, single values first. The last line counts those that
 * don't fit.
 */
export function writeProfile(facts: Facts): string {
  const { current } = splitFacts(facts)
  const lines = new Map<string, string[]>()
  for (const { attribute, value } of current.toSorted(
    (a, b) => Number(isSingle(b.attribute)) - Number(isSingle(a.attribute)),
  ))
    lines.set(attribute, [...(lines.get(attribute) ?? []), value])
  const all = [...lines].map(([attribute, values]) => `${attribute}: ${values.join(', ')}`)
  const limit = profileLimit.characters - 40
  const shown: string[] = []
  let length = 0
  for (const line of all) {
    if (length + line.length + 1 > limit) continue
    shown.push(line)
    length += line.length + 1
  }
  const omitted = all.length - shown.length
  return omitted === 0 ? shown.join('\n') : [...shown, `and ${omitted} more`].join('\n')
}

/**
 * Returns the body of a profile with its text derived from its facts. A profile without facts keeps its text, which
 * another client wrote; facts of another shape stay unchanged.
 */
export function settleProfile(body: JsonObject): JsonObject {
  const { facts: stored } = body
  if (!isJsonObject(stored) || Object.keys(stored).length === 0) return body
  const facts = Object.fromEntries(Object.entries(stored).map(([key, fact]) => [key, withNewest(fact)]))
  const parsed = profileBody.shape.facts.safeParse(facts)
  return parsed.success ? { ...body, facts, content: writeProfile(parsed.data) } : body
}

/** Keeps the last messages of a fact: merged devices may know more of them than the limit. */
function withNewest(fact: Json): Json {
  if (!isJsonObject(fact) || !Array.isArray(fact['messages'])) return fact
  const messages = fact['messages'] as readonly Json[]
  if (messages.length <= profileLimit.messages) return fact
  return { ...fact, messages: messages.toSorted().slice(-profileLimit.messages) }
}

/** A message that was not forgotten, with its statements about the user that the patterns find. */
interface RemainingMessage {
  readonly timestamp: string
  readonly statements: readonly DatedStatement[]
}

/** Returns the facts without the lines of `goneKeys`. A fact with no other line or message is removed. */
export function factsWithoutGone(facts: Facts, goneKeys: readonly string[]): Facts {
  if (goneKeys.length === 0) return facts
  return Object.fromEntries(
    Object.entries(facts).flatMap(([key, fact]) => {
      const { lines = [], messages } = fact
      const rest = lines.filter((one) => !goneKeys.includes(one))
      if (rest.length === lines.length) return [[key, fact]]
      return rest.length + messages.length === 0 ? [] : [[key, { ...fact, lines: rest }]]
    }),
  )
}

/**
 * Returns the facts without those whose messages are all missing from `remaining`. Facts that never named a message
 * stay.
 */
function releaseFacts(facts: Facts, remaining: ReadonlyMap<string, RemainingMessage>): Facts {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([key, fact]) => {
      const released = releaseFact(fact, remaining)
      return released ? [[key, released]] : []
    }),
  )
}

function releaseFact(
  fact: KnownFact,
  remaining: ReadonlyMap<string, RemainingMessage>,
): KnownFact | undefined {
  const messages = fact.messages.filter((id) => remaining.has(id))
  if (messages.length === fact.messages.length) return fact
  const { lines = [] } = fact
  if (messages.length === 0) return lines.length > 0 ? { ...fact, messages } : undefined
  const key = keyOf(fact.attribute, fact.value)
  const found = messages.map((id) => remaining.get(id)).filter((one) => one !== undefined)
  const stated = found.flatMap(({ statements }) =>
    statements.filter((one) => keyOf(one.attribute, one.value) === key),
  )
  // Rebuild statements that the patterns find from the messages. A fact that a model found keeps only the times that
  // its messages support.
  const relearned = stated.length > 0 ? learn({}, stated)[key] : undefined
  const { stated_at, denied_at, ...plain } = fact
  if (relearned) return { ...plain, ...relearned, messages }
  const times = found.map(({ timestamp }) => timestamp).toSorted()
  const last = times.at(-1) ?? fact.since
  return {
    ...plain,
    messages,
    since: later(fact.since, times[0] ?? fact.since),
    ...(stated_at === undefined ? {} : { stated_at: stated_at < last ? stated_at : last }),
    ...(denied_at !== undefined && times.includes(denied_at) ? { denied_at } : {}),
  }
}

function later(one: string, other: string): string {
  return one > other ? one : other
}

/** Returns the facts without forgotten messages. `goneKeys`: keys of lines whose message was forgotten. */
export function factsLeft(
  at: { readonly records: Pick<RecordReader, 'get'> },
  before: Facts,
  goneKeys: readonly string[],
): Facts {
  const facts = factsWithoutGone(before, goneKeys)
  const ids = Object.values(facts).flatMap(({ messages }) => messages)
  return releaseFacts(facts, new Map(messagesLeft(at, ids).map((one) => [one.id, readMessage(one)])))
}

function readMessage({ id, content, source, timestamp }: Message): RemainingMessage {
  const statements = findStatements([{ content, source, timestamp }])
  return {
    timestamp,
    statements: statements.map(({ statement }) => ({ ...statement, at: timestamp, message: id })),
  }
}
