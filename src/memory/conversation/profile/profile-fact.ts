// Facts of a user: splits them into current and former ones, and derives the text of a profile. Of an attribute with
// one value, the value stated last is current. A page's worker loads this file at its start, learned-fact.ts later.
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { type KnownFact, profileBody, profileLimits } from './profile-schema.ts'
import { fold } from '../../../core/text/fold.ts'
import { isSingleValued, opposites } from './statement.ts'

/** Facts of one user, by `factKey`. */
export type Facts = Readonly<Record<string, KnownFact>>

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
export const factKey = (attribute: string, value: string) => `${attribute}: ${fold(value)}`

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

/** Splits facts into current and former ones, each latest first. */
export function splitFacts(facts: Facts): { current: FactOutput[]; earlier: FactOutput[] } {
  const everyFact = Object.values(facts)
  // Facts whose last statement is not a denial.
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

/** True if only one of the facts can be current. */
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
  // Leaves space for the last line.
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
  const facts = Object.fromEntries(Object.entries(stored).map(([key, fact]) => [key, limitMessages(fact)]))
  const parsed = profileBody.shape.facts.safeParse(facts)
  return parsed.success ? { ...body, facts, content: profileText(parsed.data) } : body
}

/**
 * Drops messages of a fact above the limit: merged devices may know more of them. Sorted by id, so that every device
 * drops the same ones.
 */
function limitMessages(fact: Json): Json {
  if (!isJsonObject(fact) || !Array.isArray(fact['messages'])) return fact
  const messages = fact['messages'] as readonly Json[]
  if (messages.length <= profileLimits.messages) return fact
  return { ...fact, messages: messages.toSorted().slice(-profileLimits.messages) }
}
