// A schema as a graph: every schema inside it with its path, the targets of references, and the schemas that apply to
// the same value.
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'

export interface SchemaNode {
  /** Dotted path in the schema. */
  readonly path: string
  readonly schema: JsonObject
  /** Schemas that apply to the same value, targets of references included. */
  readonly inPlace: SchemaNode[]
  /** Schemas under a keyword: by the keyword, or by `childKey` with a name or number. */
  readonly children: Map<string, SchemaNode>
}

export interface SchemaIndex {
  /** Node of the whole schema; undefined for `true` and `false`. */
  readonly root: SchemaNode | undefined
  readonly nodes: readonly SchemaNode[]
  /** Nodes whose reference does not resolve. */
  readonly unresolved: readonly SchemaNode[]
}

/**
 * Keywords by the form of their value: a schema, a list of schemas, or an object of schemas. `InPlace`: the schemas
 * apply to the same value, not to a part of it.
 */
const schemaKeywords = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'propertyNames',
]
const schemaKeywordsInPlace = ['not', 'if', 'then', 'else']
const listKeywordsInPlace = ['allOf', 'anyOf', 'oneOf']
const mapKeywords = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']

/** Key in `children` of a schema under a name or number of `keyword`. */
export const childKey = (keyword: string, name: string | number): string => `${keyword}/${name}`

/** Indexes a schema that fits the meta-schema. `where`: prefix of every path. */
export function indexSchema(schema: Json, where: string): SchemaIndex {
  const nodes: SchemaNode[] = []
  const nodeByReference = new Map<string, SchemaNode>()

  // `pointer`: JSON pointer of the schema, by which references name it.
  const visit = (value: Json | undefined, path: string, pointer: string): SchemaNode | undefined => {
    if (!isJsonObject(value)) return undefined
    const node: SchemaNode = { path, schema: value, inPlace: [], children: new Map() }
    nodes.push(node)
    nodeByReference.set(`#${pointer}`, node)
    if (typeof value['$anchor'] === 'string') nodeByReference.set(`#${value['$anchor']}`, node)
    const visitChild = (inPlace: boolean, keyword: string, child: Json | undefined, name?: string) => {
      const steps = name === undefined ? [keyword] : [keyword, name]
      const childNode = visit(
        child,
        [path, ...steps].join('.'),
        [pointer, ...steps.map(escapeStep)].join('/'),
      )
      if (!childNode) return
      node.children.set(name === undefined ? keyword : childKey(keyword, name), childNode)
      if (inPlace) node.inPlace.push(childNode)
    }
    for (const keyword of schemaKeywords) visitChild(false, keyword, value[keyword])
    for (const keyword of schemaKeywordsInPlace) visitChild(true, keyword, value[keyword])
    for (const keyword of [...listKeywordsInPlace, 'prefixItems']) {
      const list = value[keyword]
      if (Array.isArray(list))
        list.forEach((child: Json, i) => visitChild(keyword !== 'prefixItems', keyword, child, String(i)))
    }
    for (const keyword of mapKeywords) {
      const map = value[keyword]
      if (!isJsonObject(map)) continue
      for (const [name, child] of Object.entries(map))
        visitChild(keyword === 'dependentSchemas', keyword, child, name)
    }
    return node
  }

  const root = visit(schema, where, '')
  const unresolved: SchemaNode[] = []
  for (const node of nodes) {
    const ref = node.schema['$ref']
    if (typeof ref !== 'string') continue
    const target = nodeByReference.get(decodeReference(ref))
    if (target) node.inPlace.push(target)
    else unresolved.push(node)
  }
  return { root, nodes, unresolved }
}

const escapeStep = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')

function decodeReference(ref: string): string {
  try {
    return decodeURIComponent(ref)
  } catch {
    return ref
  }
}
