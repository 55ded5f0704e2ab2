// Goes through a schema that fits the meta-schema and finds what still can't be evaluated: references that lead nowhere,
// outside or in a circle, keywords that would be passed over in silence, and patterns that are none.
import { isJsonObject, type Json, type JsonObject } from '../../core/path.ts'

interface Fault {
  readonly path: string
  readonly message: string
}

/** Keywords whose value is a schema, a list of schemas, or an object of schemas. */
const one = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'propertyNames',
]
const oneInPlace = ['not', 'if', 'then', 'else']
const listInPlace = ['allOf', 'anyOf', 'oneOf']
const mapKeywords = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
/** Known to JSON Schema, not to the validator: a schema that relies on one would be taken for what it is not. */
const unknownKeywords = [
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  'dependencies',
  'additionalItems',
]

interface Node {
  readonly path: string
  readonly schema: JsonObject
  /** Schemas that are applied to the same value. */
  readonly inPlace: Node[]
}

/** What is wrong with `schema`, each fault with its path below `where`. */
export function surveySchema(schema: Json, where: string): Fault[] {
  const faults: Fault[] = []
  const nodes: Node[] = []
  const byPointer = new Map<string, Node>()

  const visit = (value: Json | undefined, path: string, pointer: string): Node | undefined => {
    if (!isJsonObject(value)) return undefined
    const node: Node = { path, schema: value, inPlace: [] }
    nodes.push(node)
    byPointer.set(`#${pointer}`, node)
    if (typeof value['$anchor'] === 'string') byPointer.set(`#${value['$anchor']}`, node)
    const below = (keyword: string, child: Json | undefined, step?: string) =>
      visit(
        child,
        [path, keyword, ...(step === undefined ? [] : [step])].join('.'),
        [pointer, keyword, ...(step === undefined ? [] : [escapeStep(step)])].join('/'),
      )
    for (const keyword of one) below(keyword, value[keyword])
    for (const keyword of oneInPlace) push(node.inPlace, below(keyword, value[keyword]))
    for (const keyword of [...listInPlace, 'prefixItems']) {
      const list = value[keyword]
      if (!Array.isArray(list)) continue
      list.forEach((child: Json, i) => {
        const found = below(keyword, child, String(i))
        if (keyword !== 'prefixItems') push(node.inPlace, found)
      })
    }
    for (const keyword of mapKeywords) {
      for (const [name, child] of Object.entries(asObject(value[keyword]))) {
        const found = below(keyword, child, name)
        if (keyword === 'dependentSchemas') push(node.inPlace, found)
      }
    }
    return node
  }

  visit(schema, where, '')
  for (const node of nodes) {
    const { schema: own, path } = node
    for (const keyword of unknownKeywords) {
      if (keyword in own)
        faults.push({ path: `${path}.${keyword}`, message: `\`${keyword}\` is not supported.` })
    }
    if (own['$id'] !== undefined && path !== where)
      faults.push({ path: `${path}.$id`, message: 'Only the whole schema may have an `$id`.' })
    const ref = own['$ref']
    if (typeof ref === 'string') {
      const target = byPointer.get(decode(ref))
      if (target) node.inPlace.push(target)
      else
        faults.push({
          path: `${path}.$ref`,
          message: `\`${ref.slice(0, 80)}\` is not a place in this schema.`,
        })
    }
    faults.push(...patternFaults(own, path))
  }
  if (faults.length === 0) faults.push(...circleFaults(nodes))
  return faults
}

function patternFaults(schema: JsonObject, path: string): Fault[] {
  const { pattern, patternProperties } = schema
  const patterns: [pattern: string, path: string][] = Object.keys(asObject(patternProperties)).map((key) => [
    key,
    `${path}.patternProperties.${key}`,
  ])
  if (typeof pattern === 'string') patterns.push([pattern, `${path}.pattern`])
  return patterns.flatMap(([source, at]) => {
    const message = patternFault(source)
    return message === undefined ? [] : [{ path: at, message }]
  })
}

function patternFault(source: string): string | undefined {
  try {
    return void new RegExp(source, 'u')
  } catch {
    return 'It is not a regular expression (ECMAScript, with the flag u).'
  }
}

/** References that come back to where they began without going into the value would never end. */
function circleFaults(nodes: readonly Node[]): Fault[] {
  const state = new Map<Node, 'open' | 'done'>()
  const faults: Fault[] = []
  const visit = (node: Node): void => {
    if (state.get(node) === 'done') return
    if (state.get(node) === 'open') {
      faults.push({ path: node.path, message: 'It refers to itself in a circle.' })
      return
    }
    state.set(node, 'open')
    node.inPlace.forEach(visit)
    state.set(node, 'done')
  }
  nodes.forEach(visit)
  return faults
}

function push(into: Node[], node: Node | undefined): void {
  if (node) into.push(node)
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

const escapeStep = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')

function decode(ref: string): string {
  try {
    return decodeURIComponent(ref)
  } catch {
    return ref
  }
}
