// How a client written from the specification tells whether two changes say the same, and merges two that do not.
export type Value =
  null | boolean | number | string | undefined | readonly Value[] | { readonly [name: string]: Value }
export type Body = { readonly [name: string]: Value }

interface Said {
  readonly op: 'put' | 'forget'
  readonly [field: string]: Value
}

/** True for two changes that say the same, whoever said it when. */
export function same(one: Said, other: Said): boolean {
  return (
    one.op === other.op &&
    one['session'] === other['session'] &&
    one['resource'] === other['resource'] &&
    (one['sensitivity'] ?? 'standard') === (other['sensitivity'] ?? 'standard') &&
    equal(one['body'] ?? one['enc'], other['body'] ?? other['enc'])
  )
}

/** True when the first was made later: the greater stamp, and the greater device between equal ones. */
export function isLater(stamp: string, device: string, otherStamp: string, otherDevice: string): boolean {
  return stamp === otherStamp ? device > otherDevice : stamp > otherStamp
}

const isObject = (value: Value): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value with the fields of its objects in one order, as text. */
function spelled(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(spelled).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${spelled(field)}`).join(',')}}`
}

const equal = (one: Value, other: Value) => spelled(one) === spelled(other)

interface Merge {
  readonly base: Body
  readonly mine: Body
  readonly theirs: Body
  readonly rules: Readonly<Record<string, string>>
  readonly mineIsLater: boolean
}

/** Merges two bodies that were made from one; `clashes` are the paths where one had to yield. */
export function merge({ base, mine, theirs, rules, mineIsLater }: Merge): { body: Body; clashes: string[] } {
  const clashes: string[] = []
  const ruleFor = (steps: readonly string[]) =>
    Object.entries(rules).find(([path]) => fits(path.split('.'), steps))?.[1]
  const hasCounter = (steps: readonly string[]) =>
    Object.entries(rules).some(([path, rule]) => {
      const wanted = path.split('.')
      return rule === 'counter' && wanted.length >= steps.length && fits(wanted.slice(0, steps.length), steps)
    })
  const fields = (steps: readonly string[], from: Body, one: Body, other: Body): Body => {
    const names = new Set([...Object.keys(one), ...Object.keys(other)])
    const entries = [...names].map((name) => [
      name,
      field([...steps, name], from[name], one[name], other[name]),
    ])
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Body
  }
  const field = (steps: readonly string[], from: Value, one: Value, other: Value): Value => {
    const rule = ruleFor(steps)
    if (equal(other, from)) return one
    if (equal(one, from)) return other
    if (equal(one, other) && !hasCounter(steps)) return one
    const ruled = byRule(rule, from, one, other)
    if (ruled !== undefined) return ruled
    if (isObject(one) && isObject(other)) return fields(steps, isObject(from) ? from : {}, one, other)
    if (equal(one, other)) return one
    if (rule === 'derived') return (mineIsLater ? one : other) ?? one ?? other
    if (isSet(one) && isSet(other)) return sets(isSet(from) ? from : [], one, other)
    clashes.push(steps.join('.'))
    if (one === undefined || other === undefined) return one ?? other
    return mineIsLater ? one : other
  }
  const byRule = (rule: string | undefined, from: Value, one: Value, other: Value): Value => {
    if (rule === 'max' || rule === 'min') return ordered(rule, one, other)
    if (rule === 'counter' && typeof one === 'number' && typeof other === 'number') {
      const sum = one + other - (typeof from === 'number' ? from : 0)
      return one < 0 || other < 0 ? sum : Math.max(0, sum)
    }
    if (rule !== 'both' || typeof one !== 'string' || typeof other !== 'string') return undefined
    if (one.includes(other)) return one
    if (other.includes(one)) return other
    return mineIsLater ? `${other}\n${one}` : `${one}\n${other}`
  }
  return { body: fields([], base, mine, theirs), clashes }
}

/** True where a path of a rule, in which `*` is any name, leads to where `steps` do. */
const fits = (wanted: readonly string[], steps: readonly string[]) =>
  wanted.length === steps.length && wanted.every((name, i) => name === '*' || name === steps[i])

function ordered(rule: 'max' | 'min', one: Value, other: Value): Value {
  const pick = (isGreater: boolean) => ((rule === 'max') === isGreater ? one : other)
  if (typeof one === 'number' && typeof other === 'number') return pick(one > other)
  if (typeof one !== 'string' || typeof other !== 'string') return undefined
  const at = Date.parse(one)
  const otherAt = Date.parse(other)
  if (Number.isNaN(at) || Number.isNaN(otherAt)) return undefined
  return pick(at === otherAt ? one > other : at > otherAt)
}

function isSet(value: Value): value is readonly Value[] {
  return (
    Array.isArray(value) &&
    value.every((item: Value) => typeof item !== 'object' || item === null) &&
    new Set(value).size === value.length
  )
}

function sets(from: readonly Value[], one: readonly Value[], other: readonly Value[]): Value[] {
  const kept = from.filter((item) => one.includes(item) && other.includes(item))
  const added = [...new Set([...one, ...other])].filter((item) => !from.includes(item))
  return [...kept, ...added.toSorted((a, b) => (spelled(a) < spelled(b) ? -1 : 1))]
}
