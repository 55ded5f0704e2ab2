// A JSON Schema in words: its type, and every other keyword that limits a value.
type Schema = Readonly<Record<string, unknown>>

/** Keywords that the tree of fields shows elsewhere. */
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

/** Limits of a value beside its type, one per keyword: `≥ 0`, `pattern: ^a`. */
export function schemaLimits(schema: Schema): string[] {
  return Object.entries(schema)
    .filter(([keyword]) => !placed.has(keyword))
    .map(([keyword, value]) => {
      const written = (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, longest)
      const sign = signs[keyword]
      return sign === undefined ? `${keyword}: ${written}` : `${sign} ${written}`
    })
}
