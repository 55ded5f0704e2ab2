// Three-way merge of two bodies with a common base. Pure, total and symmetric: swapped sides give the same result.
// If values can't be joined, the later edit wins, and `clashes` lists the path.
import type { MergeRule } from '../../core/kind.ts'
import { type Json, type JsonObject, isJsonObject, sameJson } from '../../core/json/path.ts'
import { canonicalTime } from '../../core/time.ts'

export interface Merge {
  readonly base: JsonObject
  readonly mine: JsonObject
  readonly theirs: JsonObject
  /** The kind's rules for single paths. By default, objects merge by field and lists of scalars as sets. */
  readonly rules?: Readonly<Record<string, MergeRule>> | undefined
  /** True if `mine` was made after `theirs`. */
  readonly mineIsLater: boolean
}

export interface Merged {
  readonly body: JsonObject
  /** Dotted paths that both sides changed and where one value was dropped. */
  readonly clashes: readonly string[]
}

/** A rule, and the remaining steps to the value that it applies to. */
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
 * Merges two edits of one base. If only one side changed, returns that side. Equal changes count once, except
 * counters: both increments count. A field that one side removed and the other changed stays, with the change.
 */
export function mergeBodies({ base, mine, theirs, rules = {}, mineIsLater }: Merge): Merged {
  const clashes: string[] = []
  const pick = <Value>(one: Value, other: Value) => (mineIsLater ? one : other)

  const join = (path: string, sides: Sides, ruled: readonly Rule[]): Json | undefined => {
    const { from, one, other } = sides
    if (sameJson(other, from)) return one
    if (sameJson(one, from)) return other
    const isSame = sameJson(one, other)
    // Equal sides may contain a counter, where both increments count.
    if (isSame && !ruled.some(({ rule }) => rule === 'counter')) return one
    const rule = ruled.find(isHere)?.rule
    const byRule = joinByRule(rule, sides, mineIsLater)
    if (byRule !== undefined) return byRule
    // A derived value is recomputed as a whole. Null is a value; undefined is a missing field.
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

/** One field in the base and in both edits. */
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
  // Both sides may have lowered the counter: a count is never negative.
  return one >= 0 && other >= 0 ? Math.max(0, sum) : sum
}

/** Compares two numbers or two times; undefined for other values. Equal instants compare as texts. */
function compareOrdered(one: Json | undefined, other: Json | undefined): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one !== 'string' || typeof other !== 'string') return undefined
  const at = canonicalTime(one)
  const otherAt = canonicalTime(other)
  if (at === undefined || otherAt === undefined) return undefined
  return at === otherAt ? (one > other ? 1 : -1) : at > otherAt ? 1 : -1
}

type Plain = string | number | boolean | null

/** True for a list of scalars without duplicates. */
function isSet(value: Json | undefined): value is readonly Plain[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item !== 'object' || item === null) &&
    new Set(value).size === value.length
  )
}

/** Returns items of `from` that both sides kept, in the order of `from`, then items that a side added, sorted. */
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
