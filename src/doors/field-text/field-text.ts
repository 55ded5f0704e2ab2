// Descriptions of fields, for the manifest, the OpenAPI document and the tools. They are beside the schemas because a
// page checks by the schemas and never reads a description.
import { isJsonObject } from '../../core/json/path.ts'
import { accessTexts } from './access-text.ts'
import { answerTexts } from './answer-text.ts'
import { exchangeTexts } from './exchange-text.ts'
import { recordTexts } from './record-text.ts'
import { wireTexts } from './wire-text.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * Descriptions by a field's name, or by the last names of its path such as `katra.decide.input.decision`. No path is in
 * two tables.
 */
export const fieldTextTables: readonly Readonly<Record<string, string>>[] = [
  recordTexts,
  answerTexts,
  accessTexts,
  exchangeTexts,
  wireTexts,
]

const texts = new Map(fieldTextTables.flatMap((table) => Object.entries(table)))

/** Returns the key of the longest described end of `path`. Undefined: no table describes it. */
export function fieldTextKey(path: readonly string[]): string | undefined {
  const ends = path.map((_name, i) => path.slice(i).join('.'))
  return ends.find((end) => texts.has(end))
}

/** Keywords whose values are no schemas. */
const dataKeywords: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required'])

/**
 * Returns a JSON Schema with a description for each property that lacks one. `path`: names above its properties, such
 * as `['katra', 'decide', 'input']`.
 */
export function withFieldTexts<Schema extends Json>(schema: Schema, path: readonly string[]): Schema {
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (dataKeywords.has(keyword)) return [keyword, value]
    if (keyword === 'properties' && isJsonObject(value)) return [keyword, describedProperties(value, path)]
    return [keyword, describedPart(value, path)]
  })
  return Object.fromEntries(entries) as Schema
}

function describedPart(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => describedPart(one, path))
  return isJsonObject(value) ? withFieldTexts(value, path) : value
}

function describedProperties(properties: Json, path: readonly string[]): Json {
  const described = Object.entries(properties).map(([name, property]) => {
    const fieldPath = [...path, name]
    if (!isJsonObject(property)) return [name, property]
    const schema = withFieldTexts(property, fieldPath)
    const key = schema['description'] === undefined ? fieldTextKey(fieldPath) : undefined
    return [name, key === undefined ? schema : { ...schema, description: texts.get(key) }]
  })
  return Object.fromEntries(described)
}

/** Returns the path of a capability's input or output, for `withFieldTexts`. */
export const pathOfCapability = (id: string, io: 'input' | 'output'): readonly string[] => [
  ...id.split(':'),
  io,
]
