// A schema as a graph: every schema inside it with its path, the targets of references, and the schemas that apply to
// the same value.
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'

export interface SchemaNode {
  /** Dotted path in the schema. */
  readonly path: string
  readonly schema: JsonObject
  /** Schemas that apply to the same value, targets of references included. */
  readonly inPlace: SchemaNode[]
  /** Schemas under a keyword: by the keyword, or by `belowKey` with a name or number. */
  readonly below: Map<string, SchemaNode>
}

export interface SchemaIndex {
  /** Node of the whole schema; undefined for `true` and `false`. */
  readonly root: SchemaNode | undefined
  readonly nodes: readonly SchemaNode[]
  /** Nodes whose reference does not resolve. */
  readonly lost: readonly SchemaNode[]
}

/** Keywords by the form of their value: a schema, a list of schemas, or an object of schemas. */
const single = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'propertyNames',
]
const singleInPlace = ['not', 'if', 'then', 'else']
const listsInPlace = ['allOf', 'anyOf', 'oneOf']
const maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

/** Key in `below` of a schema under a name or number of `keyword`. */
export const belowKey = (keyword: string, name: string | number): string => `${keyword}/${name}`

/** Indexes a schema that fits the meta-schema. `where`: prefix of every path. */
export function indexSchema(schema: Json, where: string): SchemaIndex {
  const nodes: SchemaNode[] = []
  const places = new Map<string, SchemaNode>()

  const visit = (value: Json | undefined, path: string, pointer: string): SchemaNode | undefined => {
    if (!isJsonObject(value)) return undefined
    const node: SchemaNode = { path, schema: value, inPlace: [], below: new Map() }
    nodes.push(node)
    places.set(`#${pointer}`, node)
    if (typeof value['$anchor'] === 'string') places.set(`#${value['$anchor']}`, node)
    const enter = (inPlace: boolean, keyword: string, child: Json | undefined, name?: string) => {
      const steps = name === undefined ? [keyword] : [keyword, name]
      const found = visit(child, [path, ...steps].join('.'), [pointer, ...steps.map(escapeStep)].join('/'))
      if (!found) return
      node.below.set(name === undefined ? keyword : belowKey(keyword, name), found)
      if (inPlace) node.inPlace.push(found)
    }
    for (const keyword of single) enter(false, keyword, value[keyword])
    for (const keyword of singleInPlace) enter(true, keyword, value[keyword])
    for (const keyword of [...listsInPlace, 'prefixItems']) {
      const list = value[keyword]
      if (Array.isArray(list))
        list.forEach((child: Json, i) => enter(keyword !== 'prefixItems', keyword, child, String(i)))
    }
    for (const keyword of maps) {
      const map = value[keyword]
      if (!isJsonObject(map)) continue
      for (const [name, child] of Object.entries(map))
        enter(keyword === 'dependentSchemas', keyword, child, name)
    }
    return node
  }

  const root = visit(schema, where, '')
  const lost: SchemaNode[] = []
  for (const node of nodes) {
    const ref = node.schema['$ref']
    if (typeof ref !== 'string') continue
    const target = places.get(decode(ref))
    if (target) node.inPlace.push(target)
    else lost.push(node)
  }
  return { root, nodes, lost }
}

const escapeStep = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')

function decode(ref: string): string {
  try {
    return decodeURIComponent(ref)
  } catch {
    return ref
  }
}
