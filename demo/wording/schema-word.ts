// A JSON Schema in words: what type it asks for, and every other keyword that limits a value.
type Schema = Readonly<Record<string, unknown>>

/** Keywords that have a place of their own in the tree of fields. */
const placed = new Set([
  '$schema',
  '$id',
  '$comment',
  'type',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'unevaluatedProperties',
  'description',
  'title',
  'const',
  'enum',
])

const signs: Readonly<Record<string, string>> = {
  minimum: '≥',
  maximum: '≤',
  exclusiveMinimum: '>',
  exclusiveMaximum: '<',
  minLength: 'length ≥',
  maxLength: 'length ≤',
  minItems: 'entries ≥',
  maxItems: 'entries ≤',
}
const longest = 200

/** `string`, `number or null`, `one of "a", "b"`. */
export function schemaType(schema: unknown): string {
  if (schema === true) return 'anything'
  if (schema === false) return 'nothing'
  if (typeof schema !== 'object' || schema === null) return 'anything'
  const { const: only, enum: some, type, $ref: reference } = schema as Schema
  if (only !== undefined) return `always ${JSON.stringify(only)}`
  if (Array.isArray(some)) return `one of ${some.map((one) => JSON.stringify(one)).join(', ')}`
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return type.join(' or ')
  return typeof reference === 'string' ? reference : 'anything'
}

/** What limits a value beside its type, one keyword each: `≥ 0`, `pattern: ^a`. */
export function schemaLimits(schema: Schema): string[] {
  return Object.entries(schema)
    .filter(([keyword]) => !placed.has(keyword))
    .map(([keyword, value]) => {
      const written = (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, longest)
      const sign = signs[keyword]
      return sign === undefined ? `${keyword}: ${written}` : `${sign} ${written}`
    })
}
