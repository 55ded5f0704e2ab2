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
  const fields = (path: string, from: Body, one: Body, other: Body): Body => {
    const names = new Set([...Object.keys(one), ...Object.keys(other)])
    const entries = [...names].map((name) => [
      name,
      field(path === '' ? name : `${path}.${name}`, from[name], one[name], other[name]),
    ])
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Body
  }
  const field = (path: string, from: Value, one: Value, other: Value): Value => {
    const rule = rules[path]
    if (equal(other, from)) return one
    if (equal(one, from)) return other
    const ruled = byRule(rule, from, one, other)
    if (ruled !== undefined) return ruled
    if (equal(one, other)) return one
    if (isObject(one) && isObject(other)) return fields(path, isObject(from) ? from : {}, one, other)
    if (isSet(one) && isSet(other)) return sets(isSet(from) ? from : [], one, other)
    clashes.push(path)
    if (one === undefined || other === undefined) return one ?? other
    return mineIsLater ? one : other
  }
  const byRule = (rule: string | undefined, from: Value, one: Value, other: Value): Value => {
    if (typeof one === 'number' && typeof other === 'number') {
      if (rule === 'counter') return one + other - (typeof from === 'number' ? from : 0)
      if (rule === 'max') return Math.max(one, other)
    }
    if (rule !== 'both' || typeof one !== 'string' || typeof other !== 'string') return undefined
    if (one.includes(other)) return one
    if (other.includes(one)) return other
    return mineIsLater ? `${other}\n${one}` : `${one}\n${other}`
  }
  return { body: equal(mine, theirs) ? mine : fields('', base, mine, theirs), clashes }
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
