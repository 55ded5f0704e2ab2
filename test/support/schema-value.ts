// Values that a JSON Schema of a tool allows, for properties.
import fc from 'fast-check'
import type { JsonSchema } from '../../src/doors/manifest.ts'

type Value = fc.Arbitrary<unknown>

const words = fc.constantFrom(
  'tea',
  'ops',
  'note',
  '2030-05-01',
  'a2p:preferences',
  'agent',
  'best',
  '**',
  'ünï ✓',
)

function textOf({ pattern, minLength = 0, maxLength = 20 }: JsonSchema): Value {
  const least = Number(minLength)
  const text = fc.string({ minLength: least, maxLength: Math.max(least, Math.min(Number(maxLength), 40)) })
  const matching = typeof pattern === 'string' ? [fc.stringMatching(new RegExp(pattern))] : []
  return fc.oneof(words, text, ...matching)
}

const numberOf = ({ minimum = -5, maximum = 1000 }: JsonSchema) =>
  [Number(minimum), Math.min(Number(maximum), Number(minimum) + 1000)] as const

function objectOf(schema: JsonSchema): Value {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)
  const required = (schema['required'] ?? []) as string[]
  const model = Object.fromEntries(properties.map(([name, one]) => [name, valueOf(one)]))
  const fields = fc.record(model, { requiredKeys: required })
  const { additionalProperties: extra } = schema
  if (extra === false || extra === undefined || properties.length > 0) return fields
  return fc.dictionary(words, extra === true ? fc.jsonValue({ maxDepth: 2 }) : valueOf(extra as JsonSchema), {
    maxKeys: 3,
  })
}

/** Values of `schema`; without a type, any JSON value. */
export function valueOf(schema: JsonSchema): Value {
  const { type, enum: values, anyOf, oneOf, items, minItems = 0, maxItems = 4 } = schema
  if ('const' in schema) return fc.constant(schema['const'])
  if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]))
  const variants = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined
  if (variants) return fc.oneof(...variants.map(valueOf))
  if (Array.isArray(type))
    return fc.oneof(...(type as string[]).map((one) => valueOf({ ...schema, type: one })))
  if (type === 'object') return objectOf(schema)
  if (type === 'array')
    return fc.array(valueOf((items ?? {}) as JsonSchema), {
      minLength: Number(minItems),
      maxLength: Math.max(Number(minItems), Math.min(Number(maxItems), 4)),
    })
  if (type === 'string') return textOf(schema)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  const [min, max] = numberOf(schema)
  if (type === 'integer') return fc.integer({ min, max })
  if (type === 'number') return fc.double({ min, max, noNaN: true })
  return fc.jsonValue({ maxDepth: 2 })
}
