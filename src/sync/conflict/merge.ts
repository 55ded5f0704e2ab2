// Three-way merge of two bodies that were made from one base. Pure and total, and symmetric: which side is called
// `mine` changes nothing. What can't be joined goes to the later edit, and the path is named as a clash.
import type { MergeRule } from '../../core/kind.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'

export interface Merge {
  readonly base: JsonObject
  readonly mine: JsonObject
  readonly theirs: JsonObject
  /** Rules of the kind for single paths; all others are merged by field, and lists of plain values as sets. */
  readonly rules?: Readonly<Record<string, MergeRule>> | undefined
  /** True when `mine` was made after `theirs`. */
  readonly mineIsLater: boolean
}

export interface Merged {
  readonly body: JsonObject
  /** Dotted paths where both sides said something else and one of them had to yield. */
  readonly clashes: readonly string[]
}

/**
 * Merges two edits of one base. `merge(base, x, base)` and `merge(base, base, x)` are `x`. A field that one side took
 * away and the other changed stays, as changed.
 */
export function mergeBodies({ base, mine, theirs, rules = {}, mineIsLater }: Merge): Merged {
  const clashes: string[] = []
  const pick = <Value>(one: Value, other: Value) => (mineIsLater ? one : other)

  const join = (path: string, sides: Sides): Json | undefined => {
    const { from, one, other } = sides
    if (sameJson(other, from)) return one
    if (sameJson(one, from)) return other
    // Two that count the same have counted twice.
    if (sameJson(one, other) && rules[path] !== 'counter') return one
    const byRule = joinByRule(rules[path], sides, mineIsLater)
    if (byRule !== undefined) return byRule
    if (sameJson(one, other)) return one
    if (isJsonObject(one) && isJsonObject(other))
      return joinFields(path, isJsonObject(from) ? from : {}, one, other)
    if (isSet(one) && isSet(other)) return joinSets(isSet(from) ? from : [], one, other)
    clashes.push(path)
    if (one === undefined) return other
    if (other === undefined) return one
    return pick(one, other)
  }

  const joinFields = (path: string, from: JsonObject, one: JsonObject, other: JsonObject): JsonObject => {
    const names = new Set([...Object.keys(pick(one, other)), ...Object.keys(pick(other, one))])
    const fields = [...names].flatMap((name): [string, Json][] => {
      const own = (object: JsonObject) => (Object.hasOwn(object, name) ? object[name] : undefined)
      const sides = { from: own(from), one: own(one), other: own(other) }
      const value = join(path === '' ? name : `${path}.${name}`, sides)
      return value === undefined ? [] : [[name, value]]
    })
    return Object.fromEntries(fields)
  }

  if (sameJson(mine, theirs)) return { body: mine, clashes }
  if (sameJson(theirs, base)) return { body: mine, clashes }
  if (sameJson(mine, base)) return { body: theirs, clashes }
  return { body: joinFields('', base, mine, theirs), clashes }
}

/** One field as the base and the two edits have it. */
interface Sides {
  readonly from: Json | undefined
  readonly one: Json | undefined
  readonly other: Json | undefined
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
  if (typeof one !== 'number' || typeof other !== 'number') return undefined
  if (rule === 'max') return Math.max(one, other)
  if (rule !== 'counter') return undefined
  const sum = one + other - (typeof from === 'number' ? from : 0)
  // JSON has no infinity: such counts clash.
  return Number.isFinite(sum) ? sum : undefined
}

type Plain = string | number | boolean | null

/** A list of plain values, none twice. */
function isSet(value: Json | undefined): value is readonly Plain[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item !== 'object' || item === null) &&
    new Set(value).size === value.length
  )
}

/** What both kept of `from` in its order, then what either added, in an order that does not depend on the side. */
function joinSets(from: readonly Plain[], one: readonly Plain[], other: readonly Plain[]): Plain[] {
  const inOne = new Set(one)
  const inOther = new Set(other)
  const known = new Set(from)
  const kept = from.filter((item) => inOne.has(item) && inOther.has(item))
  const added = [...new Set([...one, ...other])].filter((item) => !known.has(item))
  return [...kept, ...added.toSorted(comparePlain)]
}

function comparePlain(one: Plain, other: Plain): number {
  const a = JSON.stringify(one)
  const b = JSON.stringify(other)
  return a < b ? -1 : a > b ? 1 : 0
}
