// Three-way merge of two bodies that were made from one base. Pure and total, and symmetric: which side is called
// `mine` changes nothing. What can't be joined goes to the later edit, and the path is named as a clash.
import type { MergeRule } from '../../core/kind.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'
import { canonicalTime } from '../../core/time.ts'

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

/** A rule, and the steps that still lead to where it holds. */
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
 * but for counters: two edits that counted the same have counted twice. A field that one side took away and the other
 * changed stays, as changed.
 */
export function mergeBodies({ base, mine, theirs, rules = {}, mineIsLater }: Merge): Merged {
  const clashes: string[] = []
  const pick = <Value>(one: Value, other: Value) => (mineIsLater ? one : other)

  const join = (path: string, sides: Sides, ruled: readonly Rule[]): Json | undefined => {
    const { from, one, other } = sides
    if (sameJson(other, from)) return one
    if (sameJson(one, from)) return other
    const isSame = sameJson(one, other)
    // Two that count the same have counted twice, wherever in them the count stands.
    if (isSame && !ruled.some(({ rule }) => rule === 'counter')) return one
    const rule = ruled.find(isHere)?.rule
    const byRule = joinByRule(rule, sides, mineIsLater)
    if (byRule !== undefined) return byRule
    // Told anew from the rest, whole. A null is a value: it gives way to nothing that is not there.
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
  // JSON has no infinity: such counts clash.
  if (!Number.isFinite(sum)) return undefined
  // Both were set back: nothing has happened less than never.
  return one >= 0 && other >= 0 ? Math.max(0, sum) : sum
}

/** How two numbers, or two times, stand to each other; undefined for anything else. Of one instant, as texts do. */
function compareOrdered(one: Json | undefined, other: Json | undefined): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one !== 'string' || typeof other !== 'string') return undefined
  const at = canonicalTime(one)
  const otherAt = canonicalTime(other)
  if (at === undefined || otherAt === undefined) return undefined
  return at === otherAt ? (one > other ? 1 : -1) : at > otherAt ? 1 : -1
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
