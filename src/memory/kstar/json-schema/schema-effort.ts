// Counts the work of checking a value against a schema before the check: with schemas that branch and recur, the work
// can double with each level of the value.
// Invariant: the count is at least the validator's work.
import { isJsonObject, type Json } from '../../../core/json/path.ts'
import { cachedPatternCost } from './pattern-cost.ts'
import { childKey, indexSchema, type SchemaNode } from './schema-index.ts'

/** Most steps of a check. A step applies one schema to one value, or is work of about that length. */
export const maxSteps = 200_000
/** Number of comparisons of two values that take as long as one step. */
const comparisonsPerStep = 100

export interface Excess {
  /** Dotted path of the value, with the caller's prefix. */
  readonly path: string
  readonly message: string
}

/** A value, and the values in it as objects of their own, so that the work on each can be cached. */
interface ValueNode {
  readonly path: string
  readonly value: Json
  /** `key`: the name itself as a value, for `propertyNames`. */
  readonly members: readonly (readonly [name: string, member: ValueNode, key: ValueNode])[]
  readonly items: readonly ValueNode[]
}

/**
 * The reason why checking `value` takes too much work; undefined if it doesn't. `schema`: one that
 * `assertSchema` accepted, so its references form no circle. `where`: prefix of the path.
 */
export function findExcessiveWork(schema: Json, value: Json, where: string): Excess | undefined {
  const { root } = indexSchema(schema, '')
  if (!root) return undefined
  const cache = new Map<SchemaNode, Map<ValueNode, number>>()
  let patternExcess: Excess | undefined

  const countSteps = (node: SchemaNode | undefined, valueNode: ValueNode): number => {
    if (!node) return 1
    let stepsByValue = cache.get(node)
    if (!stepsByValue) cache.set(node, (stepsByValue = new Map<ValueNode, number>()))
    const cached = stepsByValue.get(valueNode)
    if (cached !== undefined) return cached
    const sum = Math.min(maxSteps + 1, countOwnSteps(node, valueNode))
    stepsByValue.set(valueNode, sum)
    return sum
  }

  const checkPattern = (pattern: unknown, text: Json, path: string) => {
    if (typeof pattern !== 'string' || typeof text !== 'string') return
    const cost = cachedPatternCost(pattern)
    if ('fault' in cost) patternExcess ??= { path, message: cost.fault }
    else if (text.length > cost.maxTextLength)
      patternExcess ??= {
        path,
        message: `It is longer than its pattern allows (${cost.maxTextLength} characters).`,
      }
  }

  const countOwnSteps = (node: SchemaNode, valueNode: ValueNode): number => {
    const { schema, inPlace, children } = node
    const { value: ownValue, path, members, items } = valueNode
    let sum = 1
    const addSteps = (keyword: string, child: ValueNode) => {
      if (children.has(keyword)) sum += countSteps(children.get(keyword), child)
    }
    for (const sameValueNode of inPlace) sum += countSteps(sameValueNode, valueNode)
    if (Array.isArray(schema['enum'])) sum += schema['enum'].length / comparisonsPerStep
    if (schema['uniqueItems'] === true) sum += items.length ** 2 / comparisonsPerStep
    checkPattern(schema['pattern'], ownValue, path)
    const patterns = isJsonObject(schema['patternProperties']) ? Object.keys(schema['patternProperties']) : []
    for (const [name, member, key] of members) {
      for (const pattern of patterns) {
        checkPattern(pattern, name, member.path)
        addSteps(childKey('patternProperties', pattern), member)
      }
      addSteps(childKey('properties', name), member)
      addSteps('additionalProperties', member)
      addSteps('unevaluatedProperties', member)
      addSteps('propertyNames', key)
    }
    items.forEach((item, i) => {
      addSteps(childKey('prefixItems', i), item)
      for (const keyword of ['items', 'contains', 'unevaluatedItems']) addSteps(keyword, item)
    })
    return sum
  }

  const total = countSteps(root, toValueNode(value, where))
  if (patternExcess) return patternExcess
  if (total <= maxSteps) return undefined
  return { path: where, message: `It would take more than ${maxSteps} steps to check.` }
}

function toValueNode(value: Json, path: string): ValueNode {
  const leaf = { value, path, members: [], items: [] }
  if (Array.isArray(value))
    return { ...leaf, items: value.map((item: Json, i) => toValueNode(item, `${path}.${i}`)) }
  if (!isJsonObject(value)) return leaf
  const members = Object.entries(value).map(([name, member]) => {
    const memberPath = `${path}.${name}`
    return [name, toValueNode(member, memberPath), { ...leaf, value: name, path: memberPath }] as const
  })
  return { ...leaf, members }
}
