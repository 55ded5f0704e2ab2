// The verbs of the registries: register and list schemas of facts, categories of traces, and types of tokens.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { WriteContext } from '../../core/capability/context.ts'
import { defined } from '../../core/defined.ts'
import { type JsonObject, sameJson } from '../../core/json/path.ts'
import { bodyOf } from '../../core/record.ts'
import { assertSchema, type JsonSchema } from './json-schema/json-schema.ts'
import { name, receipt } from './record-schema.ts'
import {
  categoryId,
  categoryInput,
  assertRequiredFields,
  findSchema,
  factSchema,
  schemaId,
  schemaInput,
  tokenType,
  tokenTypeId,
  tokenTypeInput,
  traceCategory,
} from './definition.ts'
import { page, readVerb, recordVerbs } from '../../shape/record-verbs.ts'
import { storedNow } from '../../shape/receipt.ts'

const listInput = z.strictObject(page).prefault({})

/** Makes a verb that lists the definitions of `kind` by name. */
function listVerb<const Id extends string, const Method extends string, Item extends z.ZodType>(
  kind: string,
  item: Item,
  verb: { readonly id: Id; readonly method: Method; readonly summary: string },
) {
  const { page: output, pageOf } = recordVerbs(kind, item)
  return readVerb({
    ...verb,
    input: listInput,
    output,
    run: (query, at) => pageOf(at, { ...query, orderBy: 'name' }),
  })
}

/** Stores `body` under `id`, unless the same content is already stored. Returns the receipt of the call. */
function storeDefinition(at: WriteContext<'records'>, kind: string, id: string, body: object) {
  const existing = at.records.get(id)
  const json = JSON.parse(JSON.stringify(body)) as JsonObject
  if (!existing || !sameJson(bodyOf(existing), json)) at.records.put({ kind, id, body: json })
  return { id, ...storedNow(at.call) }
}

export const definitionCapabilities = [
  defineCapability({
    id: 'kstar:register_schema',
    methods: ['facts.schemas.register'],
    summary: 'Registers the JSON Schema (draft 2020-12) that facts of a name must keep to from now on.',
    input: schemaInput,
    output: receipt.extend({
      /** One more than before if the schema differs from the previous one; else the same. */
      version: z.number(),
    }),
    effect: 'write',
    uses: ['records'],
    run({ name: schemaName, schema: input, description }, at) {
      const schema = JSON.parse(JSON.stringify(input)) as JsonSchema
      assertSchema(schema, 'schema')
      const existing = findSchema(at.records, schemaName)
      const isSame = existing !== undefined && sameJson(existing.schema, schema)
      const version = existing ? existing.version + (isSame ? 0 : 1) : 1
      const earlier = [
        ...(existing?.earlier ?? []),
        ...(existing && !isSame ? [{ version: existing.version, schema: existing.schema }] : []),
      ]
      const descriptionText = description ?? existing?.description
      const body = {
        name: schemaName,
        schema,
        ...defined({ description: descriptionText }),
        version,
        earlier,
      }
      return { ...storeDefinition(at, 'fact_schema', schemaId(schemaName), body), version }
    },
  }),
  readVerb({
    id: 'kstar:get_schema',
    method: 'facts.schemas.get',
    summary: 'Reads a registered schema by name with its earlier versions, or null.',
    input: z.strictObject({ name }),
    output: factSchema.nullable(),
    run: ({ name: schemaName }, at) => findSchema(at.records, schemaName) ?? null,
  }),
  listVerb('fact_schema', factSchema, {
    id: 'kstar:list_schemas',
    method: 'facts.schemas.list',
    summary: 'Lists the registered schemas of facts by name.',
  }),
  defineCapability({
    id: 'kstar:register_trace_category',
    methods: ['traces.categories.register'],
    summary: 'Registers which fields traces of one action in one domain must carry from now on.',
    input: categoryInput,
    output: receipt,
    effect: 'write',
    uses: ['records'],
    run(category, at) {
      assertRequiredFields(category.required_fields)
      return storeDefinition(at, 'trace_category', categoryId(category.domain, category.name), category)
    },
  }),
  listVerb('trace_category', traceCategory, {
    id: 'kstar:list_trace_categories',
    method: 'traces.categories.list',
    summary: 'Lists the registered categories of traces by name.',
  }),
  defineCapability({
    id: 'kstar:register_token_type',
    methods: ['tokens.types.register'],
    summary: 'Registers a type of control token: the pattern of its scope and the permissions it needs.',
    input: tokenTypeInput,
    output: receipt,
    effect: 'write',
    uses: ['records'],
    run: (type, at) => storeDefinition(at, 'token_type', tokenTypeId(type.name), type),
  }),
  listVerb('token_type', tokenType, {
    id: 'kstar:list_token_types',
    method: 'tokens.types.list',
    summary: 'Lists the registered types of control tokens by name.',
  }),
] as const
