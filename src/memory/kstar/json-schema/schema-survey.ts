// Finds what can't be evaluated in a schema that fits the meta-schema: references that lead nowhere, outside or in a
// circle, keywords that would be passed over in silence, patterns that are none or could take for ever.
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { judgePattern } from './pattern-judge.ts'
import { indexSchema, type SchemaNode } from './schema-index.ts'

interface Fault {
  readonly path: string
  readonly message: string
}

/** Known to JSON Schema, not to the validator: a schema that relies on one would be taken for what it is not. */
const unknownKeywords = [
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  'dependencies',
  'additionalItems',
]

/** What is wrong with `schema`, each fault with its path below `where`. */
export function surveySchema(schema: Json, where: string): Fault[] {
  const { nodes, lost } = indexSchema(schema, where)
  const faults = nodes.flatMap(({ schema: own, path }) => [
    ...unknownKeywords
      .filter((keyword) => keyword in own)
      .map((keyword) => ({ path: `${path}.${keyword}`, message: `\`${keyword}\` is not supported.` })),
    ...(own['$id'] !== undefined && path !== where
      ? [{ path: `${path}.$id`, message: 'Only the whole schema may have an `$id`.' }]
      : []),
    ...patternFaults(own, path),
  ])
  for (const { path, schema: own } of lost) {
    const ref = String(own['$ref']).slice(0, 80)
    faults.push({ path: `${path}.$ref`, message: `\`${ref}\` is not a place in this schema.` })
  }
  return faults.length > 0 ? faults : circleFaults(nodes)
}

function patternFaults({ pattern, patternProperties }: JsonObject, path: string): Fault[] {
  const keys = isJsonObject(patternProperties) ? Object.keys(patternProperties) : []
  const patterns = keys.map((key) => [key, `${path}.patternProperties.${key}`] as const)
  const all = typeof pattern === 'string' ? [...patterns, [pattern, `${path}.pattern`] as const] : patterns
  return all.flatMap(([source, at]) => {
    const cost = judgePattern(source)
    return 'fault' in cost ? [{ path: at, message: cost.fault }] : []
  })
}

/** References that come back to where they began without going into the value would never end. */
function circleFaults(nodes: readonly SchemaNode[]): Fault[] {
  const state = new Map<SchemaNode, 'open' | 'done'>()
  const faults: Fault[] = []
  const visit = (node: SchemaNode): void => {
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
