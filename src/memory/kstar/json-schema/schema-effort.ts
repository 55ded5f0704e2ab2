// Counts the work of checking a value against a schema before the check: with schemas that branch and recur, the work
// can double with each level of the value.
// Invariant: the count is at least the validator's work.
import { isJsonObject, type Json } from '../../../core/json/path.ts'
import { judgePattern } from './pattern-cost.ts'
import { belowKey, indexSchema, type SchemaNode } from './schema-index.ts'

/** Most steps of a check. A step applies one schema to one value, or is work of about that length. */
export const effortLimit = 200_000
/** Number of comparisons of two values that take as long as one step. */
const comparisonsAStep = 100

export interface Excess {
  readonly path: string
  readonly message: string
}

/** A value, and the values in it as objects of their own, so that the work on each can be cached. */
interface Place {
  readonly path: string
  readonly value: Json
  readonly members: readonly (readonly [name: string, place: Place, key: Place])[]
  readonly items: readonly Place[]
}

/** The reason why checking `value` takes too much work; undefined if it doesn't. */
export function findExcess(schema: Json, value: Json, where: string): Excess | undefined {
  const { root } = indexSchema(schema, '')
  if (!root) return undefined
  const cache = new Map<SchemaNode, Map<Place, number>>()
  let tooLong: Excess | undefined

  const effort = (node: SchemaNode | undefined, place: Place): number => {
    if (!node) return 1
    let ofNode = cache.get(node)
    if (!ofNode) cache.set(node, (ofNode = new Map<Place, number>()))
    const found = ofNode.get(place)
    if (found !== undefined) return found
    const sum = Math.min(effortLimit + 1, ownEffort(node, place))
    ofNode.set(place, sum)
    return sum
  }

  const match = (pattern: unknown, text: Json, path: string) => {
    if (typeof pattern !== 'string' || typeof text !== 'string') return
    const cost = judgePattern(pattern)
    if ('fault' in cost) tooLong ??= { path, message: cost.fault }
    else if (text.length > cost.textLimit)
      tooLong ??= {
        path,
        message: `It is longer than its pattern allows (${cost.textLimit} characters).`,
      }
  }

  const ownEffort = (node: SchemaNode, place: Place): number => {
    const { schema, inPlace, below } = node
    const { value: own, path, members, items } = place
    let sum = 1
    const add = (keyword: string, at: Place) => {
      if (below.has(keyword)) sum += effort(below.get(keyword), at)
    }
    for (const other of inPlace) sum += effort(other, place)
    if (Array.isArray(schema['enum'])) sum += schema['enum'].length / comparisonsAStep
    if (schema['uniqueItems'] === true) sum += items.length ** 2 / comparisonsAStep
    match(schema['pattern'], own, path)
    const patterns = isJsonObject(schema['patternProperties']) ? Object.keys(schema['patternProperties']) : []
    for (const [name, member, key] of members) {
      for (const pattern of patterns) {
        match(pattern, name, member.path)
        add(belowKey('patternProperties', pattern), member)
      }
      add(belowKey('properties', name), member)
      add('additionalProperties', member)
      add('unevaluatedProperties', member)
      add('propertyNames', key)
    }
    items.forEach((item, i) => {
      add(belowKey('prefixItems', i), item)
      for (const keyword of ['items', 'contains', 'unevaluatedItems']) add(keyword, item)
    })
    return sum
  }

  const total = effort(root, placeOf(value, where))
  if (tooLong) return tooLong
  if (total <= effortLimit) return undefined
  return { path: where, message: `It would take more than ${effortLimit} steps to check.` }
}

function placeOf(value: Json, path: string): Place {
  const leaf = { value, path, members: [], items: [] }
  if (Array.isArray(value))
    return { ...leaf, items: value.map((item: Json, i) => placeOf(item, `${path}.${i}`)) }
  if (!isJsonObject(value)) return leaf
  const members = Object.entries(value).map(([name, member]) => {
    const below = `${path}.${name}`
    return [name, placeOf(member, below), { ...leaf, value: name, path: below }] as const
  })
  return { ...leaf, members }
}
