// Three-way merge of two bodies with a common base. Pure, total and symmetric: swapped sides give the same result.
// If values can't be joined, the later edit wins, and `clashes` lists the path.
import type { MergeRule } from '../../core/kind.ts'
import { type Json, type JsonObject, isJsonObject, sameJson } from '../../core/json/path.ts'
import { canonicalTime } from '../../core/time.ts'

export interface MergeInput {
  readonly base: JsonObject
  readonly mine: JsonObject
  readonly theirs: JsonObject
  /** The kind's rules for single paths. By default, objects merge by field and lists of scalars as sets. */
  readonly rules?: Readonly<Record<string, MergeRule>> | undefined
  /** True if `mine` was made after `theirs`. */
  readonly mineIsLater: boolean
}

export interface MergeResult {
  readonly body: JsonObject
  /** Dotted paths that both sides changed and where one value was dropped. */
  readonly clashes: readonly string[]
}

/** A rule, and the remaining steps to the value that it applies to. */
interface PathRule {
  readonly steps: readonly string[]
  readonly rule: MergeRule
}

const appliesHere = ({ steps }: PathRule) => steps.length === 0
const rulesBelow = (rules: readonly PathRule[], name: string): readonly PathRule[] =>
  rules
    .filter(({ steps: [step] }) => step === name || step === '*')
    .map(({ steps, rule }) => ({ steps: steps.slice(1), rule }))

/**
 * Merges two edits of one base. If only one side changed, returns that side. Equal changes count once, except
 * counters: both increments count. A field that one side removed and the other changed stays, with the change.
 */
export function mergeBodies({ base, mine, theirs, rules = {}, mineIsLater }: MergeInput): MergeResult {
  const clashes: string[] = []
  const later = <Value>(one: Value, other: Value) => (mineIsLater ? one : other)

  const mergeValue = (path: string, sides: FieldSides, pathRules: readonly PathRule[]): Json | undefined => {
    const { base: from, mine: one, theirs: other } = sides
    if (sameJson(other, from)) return one
    if (sameJson(one, from)) return other
    const isSame = sameJson(one, other)
    // Equal sides may contain a counter, where both increments count.
    if (isSame && !pathRules.some(({ rule }) => rule === 'counter')) return one
    const rule = pathRules.find(appliesHere)?.rule
    const byRule = mergeByRule(rule, sides, mineIsLater)
    if (byRule !== undefined) return byRule
    // A derived value is recomputed as a whole. Null is a value; undefined is a missing field.
    if (rule === 'derived') return [later(one, other), one, other].find((side) => side !== undefined)
    if (isJsonObject(one) && isJsonObject(other))
      return mergeFields(path, { base: isJsonObject(from) ? from : {}, mine: one, theirs: other }, pathRules)
    if (isSame) return one
    if (isSet(one) && isSet(other)) return mergeSets(isSet(from) ? from : [], one, other)
    clashes.push(path)
    if (one === undefined) return other
    if (other === undefined) return one
    return later(one, other)
  }

  const mergeFields = (
    path: string,
    { base: from, mine: one, theirs: other }: ObjectSides,
    pathRules: readonly PathRule[],
  ): JsonObject => {
    const names = new Set([...Object.keys(later(one, other)), ...Object.keys(later(other, one))])
    const fields = [...names].flatMap((name): [string, Json][] => {
      const own = (object: JsonObject) => (Object.hasOwn(object, name) ? object[name] : undefined)
      const sides = { base: own(from), mine: own(one), theirs: own(other) }
      const value = mergeValue(path === '' ? name : `${path}.${name}`, sides, rulesBelow(pathRules, name))
      return value === undefined ? [] : [[name, value]]
    })
    return Object.fromEntries(fields)
  }

  if (sameJson(theirs, base)) return { body: mine, clashes }
  if (sameJson(mine, base)) return { body: theirs, clashes }
  const ruled = Object.entries(rules).map(([path, rule]) => ({ steps: path.split('.'), rule }))
  return { body: mergeFields('', { base: base, mine: mine, theirs: theirs }, ruled), clashes }
}

/** One field in the base and in both edits. */
interface FieldSides {
  readonly base: Json | undefined
  readonly mine: Json | undefined
  readonly theirs: Json | undefined
}

interface ObjectSides {
  readonly base: JsonObject
  readonly mine: JsonObject
  readonly theirs: JsonObject
}

function mergeByRule(
  rule: MergeRule | undefined,
  { base, mine, theirs }: FieldSides,
  mineIsLater: boolean,
): Json | undefined {
  if (rule === 'both' && typeof mine === 'string' && typeof theirs === 'string') {
    if (mine.includes(theirs)) return mine
    if (theirs.includes(mine)) return theirs
    return mineIsLater ? `${theirs}\n${mine}` : `${mine}\n${theirs}`
  }
  if (rule === 'max' || rule === 'min') {
    const order = compareOrdered(mine, theirs)
    return order === undefined ? undefined : (rule === 'max') === order > 0 ? mine : theirs
  }
  if (rule !== 'counter' || typeof mine !== 'number' || typeof theirs !== 'number') return undefined
  const sum = mine + theirs - (typeof base === 'number' ? base : 0)
  // JSON has no infinity.
  if (!Number.isFinite(sum)) return undefined
  // Both sides may have lowered the counter: a count is never negative.
  return mine >= 0 && theirs >= 0 ? Math.max(0, sum) : sum
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

type Scalar = string | number | boolean | null

/** True for a list of scalars without duplicates. */
function isSet(value: Json | undefined): value is readonly Scalar[] {
  return (
    Array.isArray(value) &&
    value.every((item) => typeof item !== 'object' || item === null) &&
    new Set(value).size === value.length
  )
}

/** Returns items of `from` that both sides kept, in the order of `from`, then items that a side added, sorted. */
function mergeSets(from: readonly Scalar[], one: readonly Scalar[], other: readonly Scalar[]): Scalar[] {
  const inOne = new Set(one)
  const inOther = new Set(other)
  const inBase = new Set(from)
  const common = from.filter((item) => inOne.has(item) && inOther.has(item))
  const added = [...new Set([...one, ...other])].filter((item) => !inBase.has(item))
  return [...common, ...added.toSorted(compareScalars)]
}

function compareScalars(one: Scalar, other: Scalar): number {
  const a = JSON.stringify(one)
  const b = JSON.stringify(other)
  return a < b ? -1 : a > b ? 1 : 0
}
