// What is left of the facts of a user when messages that spoke of them are gone.
// Invariant: a fact stays only where a message is left that speaks of it, or none was ever known, and says of when it was
// said and denied nothing that only the lost messages knew.
import type { KnownFact } from './profile-schema.ts'
import { type DatedStatement, type Facts, keyOf, learn } from './profile-fact.ts'

/** A message that is left, with what it says of its user by the stated patterns. */
export interface LeftMessage {
  readonly timestamp: string
  readonly statements: readonly DatedStatement[]
}

/** The facts without the lines of `goneKeys`, and without those that nothing else speaks of. */
export function factsWithoutGone(facts: Facts, goneKeys: readonly string[]): Facts {
  if (goneKeys.length === 0) return facts
  return Object.fromEntries(
    Object.entries(facts).flatMap(([key, fact]) => {
      const { lines = [], messages } = fact
      const left = lines.filter((one) => !goneKeys.includes(one))
      if (left.length === lines.length) return [[key, fact]]
      return left.length + messages.length === 0 ? [] : [[key, { ...fact, lines: left }]]
    }),
  )
}

/** The facts without what only messages said that are not in `left`. Facts that never named a message stay as they are. */
export function releaseFacts(facts: Facts, left: ReadonlyMap<string, LeftMessage>): Facts {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([key, fact]) => {
      const released = releaseFact(fact, left)
      return released ? [[key, released]] : []
    }),
  )
}

function releaseFact(fact: KnownFact, left: ReadonlyMap<string, LeftMessage>): KnownFact | undefined {
  const messages = fact.messages.filter((id) => left.has(id))
  if (messages.length === fact.messages.length) return fact
  const { lines = [] } = fact
  if (messages.length === 0) return lines.length > 0 ? { ...fact, messages } : undefined
  const key = keyOf(fact.attribute, fact.value)
  const found = messages.map((id) => left.get(id)).filter((one) => one !== undefined)
  const said = found.flatMap(({ statements }) =>
    statements.filter((one) => keyOf(one.attribute, one.value) === key),
  )
  // What the patterns find in them is told from them alone; what a model found keeps what their times allow.
  const known = said.length > 0 ? learn({}, said)[key] : undefined
  const { said_at, denied_at, ...plain } = fact
  if (known) return { ...plain, ...known, messages }
  const times = found.map(({ timestamp }) => timestamp).toSorted()
  const last = times.at(-1) ?? fact.since
  return {
    ...plain,
    messages,
    since: laterOf(fact.since, times[0] ?? fact.since),
    ...(said_at === undefined ? {} : { said_at: said_at < last ? said_at : last }),
    ...(denied_at !== undefined && times.includes(denied_at) ? { denied_at } : {}),
  }
}

function laterOf(one: string, other: string): string {
  return one > other ? one : other
}
