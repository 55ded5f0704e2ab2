// The JSON Schema meta-schema, draft 2020-12, as one document: vocabularies joined, dynamic references made static.
// Equivalent to the original as long as no schema extends it.

const schemas = { $ref: '#' } as const
const schemaList = { type: 'array', minItems: 1, items: schemas } as const
const schemaMap = { type: 'object', additionalProperties: schemas } as const
const count = { type: 'integer', minimum: 0 } as const
const names = { type: 'array', items: { type: 'string' }, uniqueItems: true } as const
const type = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] } as const
const anchor = { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' } as const

export const metaSchema = {
  type: ['object', 'boolean'],
  properties: {
    $id: { type: 'string', pattern: '^[^#]*#?$' },
    $schema: { type: 'string' },
    $ref: { type: 'string' },
    $anchor: anchor,
    $comment: { type: 'string' },
    $defs: schemaMap,
    definitions: schemaMap,
    prefixItems: schemaList,
    items: schemas,
    contains: schemas,
    additionalProperties: schemas,
    properties: schemaMap,
    patternProperties: schemaMap,
    dependentSchemas: schemaMap,
    propertyNames: schemas,
    if: schemas,
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword's name; nobody awaits a schema
    then: schemas,
    else: schemas,
    allOf: schemaList,
    anyOf: schemaList,
    oneOf: schemaList,
    not: schemas,
    unevaluatedItems: schemas,
    unevaluatedProperties: schemas,
    type: { anyOf: [type, { type: 'array', items: type, minItems: 1, uniqueItems: true }] },
    const: true,
    enum: { type: 'array' },
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    maximum: { type: 'number' },
    exclusiveMaximum: { type: 'number' },
    minimum: { type: 'number' },
    exclusiveMinimum: { type: 'number' },
    maxLength: count,
    minLength: count,
    pattern: { type: 'string' },
    maxItems: count,
    minItems: count,
    uniqueItems: { type: 'boolean' },
    maxContains: count,
    minContains: count,
    maxProperties: count,
    minProperties: count,
    required: names,
    dependentRequired: { type: 'object', additionalProperties: names },
    title: { type: 'string' },
    description: { type: 'string' },
    default: true,
    deprecated: { type: 'boolean' },
    readOnly: { type: 'boolean' },
    writeOnly: { type: 'boolean' },
    examples: { type: 'array' },
    format: { type: 'string' },
    contentEncoding: { type: 'string' },
    contentMediaType: { type: 'string' },
    contentSchema: schemas,
  },
} as const
