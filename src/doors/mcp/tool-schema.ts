// JSON Schemas of the tools' inputs, made from the schemas of verbs and seed shapes.
// Invariant: a tool takes no field that its schema forbids, and lists no more than its schema promises.
import { z } from 'zod'
import { invalidInput } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import type { Schema } from '../../core/schema.ts'
import type { SeedShape } from '../seed-shape/shape.ts'
import { pathOfCapability, withFieldTexts } from '../field-text/field-text.ts'
import { type JsonSchema, requireOffered } from './tool.ts'

/** Maximum entries of each list of an answer, because long lists are expensive for models. */
export const maxListed = 50

type Properties = Readonly<Record<string, unknown>>

/** Converts a schema to the JSON Schema of a tool's input or output. */
export function toToolSchema(schema: Schema, io: 'input' | 'output'): JsonSchema {
  const { $schema: _draft, ...json } = z.toJSONSchema(schema as unknown as z.ZodType, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
    override({ jsonSchema }) {
      const { additionalProperties: extraProperties } = jsonSchema
      // Some hosts reject an empty schema here: write `true` instead.
      if (isJsonObject(extraProperties) && Object.keys(extraProperties).length === 0)
        jsonSchema.additionalProperties = true
      // Names in JSON are texts.
      delete jsonSchema.propertyNames
    },
  })
  return json
}

const propertiesOf = ({ properties }: JsonSchema): Properties => (isJsonObject(properties) ? properties : {})

/** The input of a tool for one verb. A list has at most `maxListed` entries, so its limit is no higher. */
export function verbInput(id: string): JsonSchema {
  const input = toToolSchema(requireOffered(id).input, 'input')
  const { limit, ...properties } = propertiesOf(input)
  const limited = isJsonObject(limit) ? { limit: withMaximum(limit) } : {}
  return withFieldTexts(
    { ...input, properties: { ...properties, ...limited } },
    pathOfCapability(id, 'input'),
  )
}

const withMaximum = (limit: Properties) => ({
  ...limit,
  maximum: maxListed,
  ...(typeof limit['default'] === 'number' ? { default: Math.min(limit['default'], maxListed) } : {}),
})

/** Another memory's callers may ask for more than `maxListed`: a note reports that these are all. */
const withoutMaximum = ({ maximum: _maximum, ...limit }: Properties) => ({ ...limit, default: maxListed })

/**
 * The input of a tool for a seed shape: its own fields, and those of the verbs that it passes its input to. `ids`: the
 * offered verbs of the shape.
 */
export function shapeInput(shape: SeedShape, ids: readonly string[]): JsonSchema {
  const { passesTo = shape.capabilities.slice(0, 1), ignored = [], fieldNames = {} } = shape
  const own = toToolSchema(shape.input as unknown as Schema, 'input')
  const passed = passesTo
    .filter((id) => ids.includes(id))
    .map((id) => toToolSchema(requireOffered(id).input, 'input'))
  const fields = passed.flatMap((schema) => Object.entries(propertiesOf(schema)))
  const named = fields.map(([name, property]) => [fieldNames[name] ?? name, property] as const)
  const unused = ignored.map((name) => [name, { description: 'Ignored: the book sets it.' }] as const)
  const properties = { ...Object.fromEntries([...unused, ...named]), ...propertiesOf(own) }
  const { limit } = properties
  const input = {
    ...own,
    properties: isJsonObject(limit) ? { ...properties, limit: withoutMaximum(limit) } : properties,
    additionalProperties: passed.some((schema) => schema['additionalProperties'] !== false),
  }
  return withFieldTexts(input, pathOfCapability(ids[0] ?? shape.names[0], 'input'))
}

/** Throws `invalid-input` for a field of `input` that `schema` forbids, and for a limit above its maximum. */
export function checkFields(schema: JsonSchema, input: unknown): void {
  if (!isJsonObject(input)) return
  const properties = propertiesOf(schema)
  const unknown = Object.keys(input).find((name) => !Object.hasOwn(properties, name))
  if (unknown !== undefined && schema['additionalProperties'] === false)
    throw invalidInput(unknown.slice(0, 80), 'Unknown field')
  const { maximum } = propertiesOf({ properties: properties['limit'] })
  if (Number(input['limit']) > Number(maximum))
    throw invalidInput('limit', `It is at most ${String(maximum)}`)
}
