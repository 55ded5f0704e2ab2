// Three-way merge of two bodies with one base. Pure, total and symmetric: swapping `mine` and `theirs` changes nothing.
// If two values can't be joined, the later edit wins, and the path is listed as a clash.
import type { MergeRule } from '../../core/kind.ts'
import { type Json, type JsonObject, isJsonObject, sameJson } from '../../core/json/path.ts'
import { canonicalTime } from '../../core/time.ts'

export interface Merge {
  readonly base: JsonObject
  readonly mine: JsonObject
  readonly theirs: JsonObject
  /** The kind's rules for single paths. Other objects merge by field, lists of plain values as sets. */
  readonly rules?: Readonly<Record<string, MergeRule>> | undefined
  /** True when `mine` was made after `theirs`. */
  readonly mineIsLater: boolean
}

export interface Merged {
  readonly body: JsonObject
  /** Dotted paths where both sides changed the value, and one side was dropped. */
  readonly clashes: readonly string[]
}

/** A rule, and the rest of the path to the value it applies to. */
interface Rule {
  readonly steps: readonly string[]
  readonly rule: MergeRule
}

const isHere = ({ steps }: Rule) => steps.length === 0
const below = (rules: readonly Rule[], name: string): readonly Rule[] =>
  rules
    .filter(({ steps: [step] }) => step === name || step === '*')
    .map(({ steps, rule }) => ({ steps: steps.slice(1), rule }))

/**
 * Merges two edits of one base. `merge(base, x, base)` and `merge(base, base, x)` are `x`, and so is `merge(base, x, x)`
 * except for counters: both increments count. A field that one side removed and the other changed stays, as changed.
 */
export function mergeBodies({ base, mine, theirs, rules = {}, mineIsLater }: Merge): Merged {
  const clashes: string[] = []
  const pick = <Value>(one: Value, other: Value) => (mineIsLater ? one : other)

  const join = (path: string, sides: Sides, ruled: readonly Rule[]): Json | undefined => {
    const { from, one, other } = sides
    if (sameJson(other, from)) return one
    if (sameJson(one, from)) return other
    const isSame = sameJson(one, other)
    // Equal sides with a counter inside: both increments count.
    if (isSame && !ruled.some(({ rule }) => rule === 'counter')) return one
    const rule = ruled.find(isHere)?.rule
    const byRule = joinByRule(rule, sides, mineIsLater)
    if (byRule !== undefined) return byRule
    // Derived from the other fields, as a whole. Null is a value; a missing field is not.
    if (rule === 'derived') return [pick(one, other), one, other].find((side) => side !== undefined)
    if (isJsonObject(one) && isJsonObject(other))
      return joinFields(path, { from: isJsonObject(from) ? from : {}, one, other }, ruled)
    if (isSame) return one
    if (isSet(one) && isSet(other)) return joinSets(isSet(from) ? from : [], one, other)
    clashes.push(path)
    if (one === undefined) return other
    if (other === undefined) return one
    return pick(one, other)
  }

  const joinFields = (path: string, { from, one, other }: Objects, ruled: readonly Rule[]): JsonObject => {
    const names = new Set([...Object.keys(pick(one, other)), ...Object.keys(pick(other, one))])
    const fields = [...names].flatMap((name): [string, Json][] => {
      const own = (object: JsonObject) => (Object.hasOwn(object, name) ? object[name] : undefined)
      const sides = { from: own(from), one: own(one), other: own(other) }
      const value = join(path === '' ? name : `${path}.${name}`, sides, below(ruled, name))
      return value === undefined ? [] : [[name, value]]
    })
    return Object.fromEntries(fields)
  }

  if (sameJson(theirs, base)) return { body: mine, clashes }
  if (sameJson(mine, base)) return { body: theirs, clashes }
  const ruled = Object.entries(rules).map(([path, rule]) => ({ steps: path.split('.'), rule }))
  return { body: joinFields('', { from: base, one: mine, other: theirs }, ruled), clashes }
}

/** One field as the base and the two edits have it. */
interface Sides {
  readonly from: Json | undefined
  readonly one: Json | undefined
  readonly other: Json | undefined
}

interface Objects {
  readonly from: JsonObject
  readonly one: JsonObject
  readonly other: JsonObject
}

function joinByRule(
  rule: MergeRule | undefined,
  { from, one, other }: Sides,
  oneIsLater: boolean,
): Json | undefined {
  if (rule === 'both' && typeof one === 'string' && typeof other === 'string') {
    if (one.includes(other)) return one
    if (other.includes(one)) return other
    return oneIsLater ? `${other}\n${one}` : `${one}\n${other}`
  }
  if (rule === 'max' || rule === 'min') {
    const order = compareOrdered(one, other)
    return order === undefined ? undefined : (rule === 'max') === order > 0 ? one : other
  }
  if (rule !== 'counter' || typeof one !== 'number' || typeof other !== 'number') return undefined
  const sum = one + other - (typeof from === 'number' ? from : 0)
  // JSON has no infinity.
  if (!Number.isFinite(sum)) return undefined
  // Both sides lowered it: a count of events is never negative.
  return one >= 0 && other >= 0 ? Math.max(0, sum) : sum
}

/** Order of two numbers or two times; undefined for anything else. Equal instants are ordered as texts. */
function compareOrdered(one: Json | undefined, other: Json | undefined): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one !== 'string' || typeof other !== 'string') return undefined
  const at = canonicalTime(one)
  const otherAt = canonicalTime(other)
  if (at === undefined || otherAt === undefined) return undefined
  return at === otherAt ? (one > other ? 1 : -1) : at > otherAt ? 1 : -1
}

type Plain = string | number | boolean | null

/** A list of plain values without duplicates. */
function isSet(value: Json | undefined): value is readonly Plain[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item !== 'object' || item === null) &&
    new Set(value).size === value.length
  )
}

/** Items of `from` that both sides still have, in its order, then items that either added, sorted. */
function joinSets(from: readonly Plain[], one: readonly Plain[], other: readonly Plain[]): Plain[] {
  const inOne = new Set(one)
  const inOther = new Set(other)
  const inBase = new Set(from)
  const common = from.filter((item) => inOne.has(item) && inOther.has(item))
  const added = [...new Set([...one, ...other])].filter((item) => !inBase.has(item))
  return [...common, ...added.toSorted(comparePlain)]
}

function comparePlain(one: Plain, other: Plain): number {
  const a = JSON.stringify(one)
  const b = JSON.stringify(other)
  return a < b ? -1 : a > b ? 1 : 0
}
