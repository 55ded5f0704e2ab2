// What follows from what was said: which facts of a user hold now, and what became of the others.
// Invariant: learning is commutative, associative and idempotent, so the order in which conversations are read, and on
// which device, decides nothing. Of an attribute with one value, the one that was said last holds.
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { type KnownFact, profileBody, profileLimit } from './profile-schema.ts'
import { fold } from '../../../core/text/fold.ts'
import { isSingle, opposites, type Statement } from './user-fact.ts'

export type Facts = Readonly<Record<string, KnownFact>>

/** A statement with its time and, where those are records, its messages. */
export interface DatedStatement extends Statement {
  readonly at: string
  readonly messages?: readonly string[] | undefined
  /** The key of its line, where that is no message yet. */
  readonly lines?: readonly string[] | undefined
}

/** A fact as callers see it: with what holds instead, when it holds no longer. */
export interface ShownFact {
  readonly attribute: string
  readonly value: string
  readonly since: string
  readonly said_at: string
  readonly messages: readonly string[]
  readonly superseded_at?: string
  readonly superseded_by?: string
}

/** By what a fact is known: its attribute and its folded value. */
export const keyOf = (attribute: string, value: string) => `${attribute}: ${fold(value)}`

/** The facts with the statements added to them. */
export function learn(facts: Facts, statements: readonly DatedStatement[]): Facts {
  const known: Record<string, KnownFact> = { ...facts }
  for (const { attribute, value, denied, at, messages = [], lines = [] } of statements) {
    const key = keyOf(attribute, value)
    const before = known[key]
    const said_at = latest(before?.said_at, denied ? undefined : at)
    const denied_at = latest(before?.denied_at, denied ? at : undefined)
    const keys = [...new Set([...(before?.lines ?? []), ...lines])].slice(-profileLimit.messages)
    known[key] = {
      ...before,
      attribute,
      value: spelling(before, { value, denied, at }),
      since: before && before.since < at ? before.since : at,
      ...(said_at === undefined ? {} : { said_at }),
      ...(denied_at === undefined ? {} : { denied_at }),
      messages: [...new Set([...(before?.messages ?? []), ...messages])]
        .toSorted()
        .slice(-profileLimit.messages),
      ...(keys.length === 0 ? {} : { lines: keys }),
    }
  }
  return known
}

/** The facts with the messages `ids` in the place of the line `key` that they are. */
export function factsNaming(known: Facts, key: string, ids: readonly string[]): Facts {
  const facts = Object.entries(known).map(([name, fact]) => {
    const { lines = [], messages } = fact
    if (!lines.includes(key)) return [name, fact] as const
    const named = [...new Set([...messages, ...ids])].toSorted().slice(-profileLimit.messages)
    return [name, { ...fact, messages: named, lines: lines.filter((one) => one !== key) }] as const
  })
  return Object.fromEntries(facts)
}

/** A value is spelled as it was last said; of one instant, and of denials, the first in the order of the alphabet. */
function spelling(
  before: KnownFact | undefined,
  { value, denied, at }: Pick<DatedStatement, 'value' | 'denied' | 'at'>,
): string {
  if (!before) return value
  if (denied && before.said_at !== undefined) return before.value
  const isLater = !denied && (before.said_at === undefined || at > before.said_at)
  const isEarlier = !denied && before.said_at !== undefined && at < before.said_at
  if (isLater || isEarlier) return isLater ? value : before.value
  return value < before.value ? value : before.value
}

function latest(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one > other ? one : other
}

/** What holds now, and what did before; the latest first. */
export function tell(facts: Facts): { current: ShownFact[]; earlier: ShownFact[] } {
  const all = Object.values(facts)
  const holding = all.filter(
    ({ said_at, denied_at }) => said_at !== undefined && (denied_at === undefined || denied_at < said_at),
  )
  const shown = all
    .map((fact): ShownFact => {
      const { attribute, value, since, messages, denied_at = since } = fact
      const plain = { attribute, value, since, said_at: fact.said_at ?? since, messages }
      if (!holding.includes(fact)) return { ...plain, superseded_at: denied_at }
      const rival = holding.filter((other) => other !== fact && excludes(other, fact)).toSorted(byTime)[0]
      if (!rival || byTime(fact, rival) < 0) return plain
      const by = rival.attribute === attribute ? rival.value : `${rival.attribute}: ${rival.value}`
      return { ...plain, superseded_at: rival.said_at ?? rival.since, superseded_by: by }
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
  readonly said_at?: string | undefined
}

/** Latest first; of one instant, in an order that is the same everywhere. */
function byTime(one: Timed, other: Timed): number {
  const at = one.said_at ?? one.since
  const otherAt = other.said_at ?? other.since
  if (at !== otherAt) return at > otherAt ? -1 : 1
  const a = keyOf(one.attribute, one.value)
  const b = keyOf(other.attribute, other.value)
  return a < b ? -1 : a > b ? 1 : 0
}

/** What holds now as text, a line for each attribute, those with one value first. Lines that do not fit are counted. */
export function writeProfile(facts: Facts): string {
  const { current } = tell(facts)
  const lines = new Map<string, string[]>()
  for (const { attribute, value } of current.toSorted(
    (a, b) => Number(isSingle(b.attribute)) - Number(isSingle(a.attribute)),
  ))
    lines.set(attribute, [...(lines.get(attribute) ?? []), value])
  const all = [...lines].map(([attribute, values]) => `${attribute}: ${values.join(', ')}`)
  const limit = profileLimit.characters - 40
  const kept: string[] = []
  let length = 0
  for (const line of all) {
    if (length + line.length + 1 > limit) continue
    kept.push(line)
    length += line.length + 1
  }
  const left = all.length - kept.length
  return left === 0 ? kept.join('\n') : [...kept, `and ${left} more`].join('\n')
}

/**
 * The body of a profile with its text as its facts say. One without a fact keeps its text, which came from elsewhere; one
 * with facts of another shape stays as it is.
 */
export function settleProfile(body: JsonObject): JsonObject {
  const { facts: said } = body
  if (!isJsonObject(said) || Object.keys(said).length === 0) return body
  const facts = Object.fromEntries(Object.entries(said).map(([key, fact]) => [key, withNewest(fact)]))
  const known = profileBody.shape.facts.safeParse(facts)
  return known.success ? { ...body, facts, content: writeProfile(known.data) } : body
}

/** Two devices may know of more messages than a fact names: the last of them stay. */
function withNewest(fact: Json): Json {
  if (!isJsonObject(fact) || !Array.isArray(fact['messages'])) return fact
  const messages = fact['messages'] as readonly Json[]
  if (messages.length <= profileLimit.messages) return fact
  return { ...fact, messages: messages.toSorted().slice(-profileLimit.messages) }
}
