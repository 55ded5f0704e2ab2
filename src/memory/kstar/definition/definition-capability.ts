// The verbs of the registries: register and list schemas of facts, categories of traces, types of tokens.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { ReadContext, WriteContext } from '../../../core/capability/context.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf } from '../../../core/record.ts'
import { checkRequiredFields } from './category.ts'
import { categoryId, definedSchema, schemaId, tokenTypeId } from './definition.ts'
import {
  categoryInput,
  factSchema,
  type FactSchema,
  schemaInput,
  tokenType,
  type TokenType,
  tokenTypeInput,
  traceCategory,
  type TraceCategory,
} from './definition-schema.ts'
import { checkSchema, type JsonSchema } from '../json-schema/json-schema.ts'
import { name, page, receipt, recordPage } from '../record-schema.ts'

const listInput = z.strictObject(page).prefault({})

function list<Item>(at: ReadContext<'records'>, kind: string, query: z.output<typeof listInput>) {
  const found = at.records.query({ ...query, kind, orderBy: 'name' })
  return { ...found, records: found.records as unknown as Item[] }
}

/** Registers `body` under `id`; the same again changes nothing. */
function register(at: WriteContext<'records'>, kind: string, id: string, body: object) {
  const before = at.records.get(id)
  const said = JSON.parse(JSON.stringify(body)) as JsonObject
  if (!before || JSON.stringify(sorted(bodyOf(before))) !== JSON.stringify(sorted(said)))
    at.records.put({ kind, id, body: said })
  return { id, stored_at: at.call.now, durability: at.call.durability }
}

/** The same object with its members in order, all the way down. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
}

export const definitionCapabilities = [
  defineCapability({
    id: 'kstar:register_schema',
    methods: ['facts.schemas.register'],
    summary: 'Registers the JSON Schema (draft 2020-12) that facts of a name must keep to from now on.',
    input: schemaInput,
    output: receipt.extend({
      /** Grows when the schema is another one than before. */
      version: z.number(),
    }),
    effect: 'write',
    uses: ['records'],
    run({ name: named, schema: given, description }, at) {
      const schema = JSON.parse(JSON.stringify(given)) as JsonSchema
      checkSchema(schema, 'schema')
      const before = definedSchema(at.records, named)
      const isSame = before && JSON.stringify(sorted(before.schema)) === JSON.stringify(sorted(schema))
      const version = before ? before.version + (isSame ? 0 : 1) : 1
      const earlier = [
        ...(before?.earlier ?? []),
        ...(before && !isSame ? [{ version: before.version, schema: before.schema }] : []),
      ]
      const said = description ?? before?.description
      const body = {
        name: named,
        schema,
        ...(said === undefined ? {} : { description: said }),
        version,
        earlier,
      }
      return { ...register(at, 'fact_schema', schemaId(named), body), version }
    },
  }),
  defineCapability({
    id: 'kstar:get_schema',
    permission: 'read',
    methods: ['facts.schemas.get'],
    summary: 'Reads the registered schema of a name with its earlier versions, or null when there is none.',
    input: z.strictObject({ name }),
    output: factSchema.nullable(),
    effect: 'read',
    uses: ['records'],
    run: ({ name: named }, at) => definedSchema(at.records, named) ?? null,
  }),
  defineCapability({
    id: 'kstar:list_schemas',
    permission: 'read',
    methods: ['facts.schemas.list'],
    summary: 'Lists the registered schemas of facts by name.',
    input: listInput,
    output: recordPage(factSchema),
    effect: 'read',
    uses: ['records'],
    run: (query, at) => list<FactSchema>(at, 'fact_schema', query),
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
      checkRequiredFields(category.required_fields)
      return register(at, 'trace_category', categoryId(category.domain, category.name), category)
    },
  }),
  defineCapability({
    id: 'kstar:list_trace_categories',
    permission: 'read',
    methods: ['traces.categories.list'],
    summary: 'Lists the registered categories of traces by name.',
    input: listInput,
    output: recordPage(traceCategory),
    effect: 'read',
    uses: ['records'],
    run: (query, at) => list<TraceCategory>(at, 'trace_category', query),
  }),
  defineCapability({
    id: 'kstar:register_token_type',
    methods: ['tokens.types.register'],
    summary: 'Registers a type of control token: the pattern of its scope and the permissions it needs.',
    input: tokenTypeInput,
    output: receipt,
    effect: 'write',
    uses: ['records'],
    run: (type, at) => register(at, 'token_type', tokenTypeId(type.name), type),
  }),
  defineCapability({
    id: 'kstar:list_token_types',
    permission: 'read',
    methods: ['tokens.types.list'],
    summary: 'Lists the registered types of control tokens by name.',
    input: listInput,
    output: recordPage(tokenType),
    effect: 'read',
    uses: ['records'],
    run: (query, at) => list<TokenType>(at, 'token_type', query),
  }),
] as const
