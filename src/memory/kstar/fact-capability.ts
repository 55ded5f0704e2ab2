// The verbs of facts: store, get by schema, query by path, supersede.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { ReadContext, WriteContext } from '../../core/capability/context.ts'
import type { RecordQuery } from '../../core/capability/port/record-port.ts'
import { DaybookError } from '../../core/errors.ts'
import { isLowered } from '../../core/sealed.ts'
import { parseJsonPath } from '../../core/json/json-path.ts'
import type { Json, JsonObject } from '../../core/json/path.ts'
import type { PutRequest } from '../../core/put-request.ts'
import type { Stored } from '../../core/record.ts'
import { definedSchema } from './definition/definition.ts'
import { type Fact, type FactBody, factInput, storedFact, supersedeInput } from './fact-schema.ts'
import { checkAgainst } from './json-schema/json-schema.ts'
import { needUnderstood } from '../../core/capability/understood.ts'
import { factKind } from './fact-kind.ts'
import { splitScope } from './own-scope.ts'
import { name, page, receipt, recordPage, recordQuery } from './record-schema.ts'

const factReceipt = receipt.extend({
  /** The version of the schema that the data was checked against; null when the schema is not registered. */
  schema_version: z.number().nullable(),
})

/** Facts in whose place another one stands are left out, unless this is true. */
const include_superseded = z.boolean().default(false)

/** Longest chain of facts that stand in each other's place. */
const chainLimit = 10_000

function asFact(record: Stored<JsonObject> | undefined): Fact | undefined {
  return record?.kind === 'fact' ? (record as unknown as Fact) : undefined
}

function read(at: ReadContext<'records'>, query: Omit<RecordQuery, 'kind'>) {
  const found = at.records.query({ ...query, kind: 'fact' })
  return { ...found, records: found.records as unknown as Fact[] }
}

interface NewFact {
  readonly id?: string | undefined
  readonly body: Pick<FactBody, 'schema' | 'data' | 'source' | 'verified' | 'supersedes'>
  readonly scope: PutRequest['scope'] & object
}

function storeFact({ id: given, body: said, scope }: NewFact, at: WriteContext<'records'>) {
  // What is stored is JSON: members that are undefined are none.
  const data = JSON.parse(JSON.stringify(said.data)) as JsonObject
  const definition = definedSchema(at.records.rules, said.schema)
  if (definition) checkAgainst(definition.schema, data as Json, 'data', said.schema)
  const before = said.supersedes === undefined ? undefined : superseded(said.supersedes, given, at)
  const schema_version = definition?.version ?? null
  const body = { ...said, data, ...(definition ? { schema_version: definition.version } : {}) }
  const id = at.records.put({
    kind: 'fact',
    ...(given === undefined ? {} : { id: given }),
    body: body as unknown as JsonObject,
    scope: before ? heirScope(scope, before, at) : scope,
    checked: true,
  })
  return { id, stored_at: at.call.now, durability: at.call.durability, schema_version }
}

/** What takes the place of a sensitive fact is as sensitive, unless it says otherwise; less so, only the owner says. */
function heirScope(
  scope: NewFact['scope'],
  before: Fact,
  { call: { caller } }: WriteContext,
): NewFact['scope'] {
  const { sensitivity = before.sensitivity } = scope
  if (caller.role === 'guest' && isLowered(sensitivity, before.sensitivity)) {
    throw new DaybookError('forbidden', 'Only the owner of the book makes a fact less sensitive.', {
      details: { path: 'sensitivity' },
    })
  }
  return { ...scope, ...(sensitivity ? { sensitivity } : {}) }
}

/** The fact `id`, in whose place nothing stands yet, and which does not stand in the place of `own`; throws for others. */
function superseded(id: string, own: string | undefined, { records }: WriteContext<'records'>): Fact {
  const found = asFact(records.get(id))
  if (!found)
    throw new DaybookError('not-found', `There is no fact \`${id}\`.`, { details: { path: 'supersedes' } })
  const { current, next, isDisplaced } = records.succession(id, 'fact')
  if (isDisplaced || (next !== undefined && next !== own)) {
    throw new DaybookError('conflict', `\`${id}\` was superseded by \`${current}\`; supersede that one.`, {
      details: { path: 'supersedes', by: current },
    })
  }
  if (own === undefined) return found
  let fact: Fact | undefined = found
  for (let steps = 0; fact && steps < chainLimit; steps++) {
    if (fact.id === own) {
      throw new DaybookError('conflict', 'A fact cannot stand in its own place.', {
        details: { path: 'supersedes' },
      })
    }
    fact = fact.supersedes === undefined ? undefined : asFact(records.get(fact.supersedes))
  }
  return found
}

const value = z.union([z.string(), z.number(), z.boolean(), z.null()])

export const factCapabilities = [
  defineCapability({
    id: 'kstar:store_fact',
    permission: 'write',
    methods: ['facts.store'],
    summary: 'Stores data of a named schema; where that schema is registered, the data must keep to it.',
    input: factInput,
    output: factReceipt,
    effect: 'write',
    uses: ['records'],
    run(input, at) {
      const { scope, rest } = splitScope(input)
      const { id, ...body } = rest
      return storeFact({ id, body, scope }, at)
    },
  }),
  defineCapability({
    id: 'kstar:supersede_fact',
    permission: 'write',
    methods: ['facts.supersede'],
    summary: 'Stores a fact in the place of another, which keeps its history and leaves recall and queries.',
    input: supersedeInput,
    output: factReceipt,
    effect: 'write',
    uses: ['records'],
    run(input, at) {
      const { scope, rest } = splitScope(input)
      const { id, ...body } = rest
      const before = asFact(at.records.get(id))
      if (!before)
        throw new DaybookError('not-found', `There is no fact \`${id}\`.`, { details: { path: 'id' } })
      needUnderstood(factKind, before)
      return storeFact({ body: { ...body, schema: before.schema, supersedes: id }, scope }, at)
    },
  }),
  defineCapability({
    id: 'kstar:get_facts',
    permission: 'read',
    methods: ['facts.get'],
    summary: 'Lists the facts of a schema, newest first.',
    input: z.strictObject({ schema: name, include_superseded, ...page }),
    output: recordPage(storedFact),
    effect: 'read',
    uses: ['records'],
    run: ({ schema, include_superseded: superseded, ...query }, at) =>
      read(at, { ...query, filters: { schema }, include: { superseded } }),
  }),
  defineCapability({
    id: 'kstar:query_facts',
    permission: 'read',
    methods: ['facts.query'],
    summary: 'Lists facts by schema, by what stands at a JSONPath of their data, and by filters.',
    input: recordQuery
      .extend({
        schema: name.optional(),
        /** A JSONPath into the data: `$.a.b`, `$.a[0]`, `$.a[*].b`. */
        path: z.string().max(1000).optional(),
        /** What must stand there; without it, anything. */
        value: value.optional(),
        include_superseded,
      })
      .refine((input) => input.value === undefined || input.path !== undefined, {
        path: ['path'],
        message: 'is wanted with a value',
      })
      .prefault({}),
    output: recordPage(storedFact),
    effect: 'read',
    uses: ['records'],
    run({ schema, path, value, filters, order_by: orderBy, include_superseded: superseded, ...query }, at) {
      const steps = path === undefined ? undefined : parseJsonPath(path)
      return read(at, {
        ...query,
        orderBy,
        filters: schema === undefined ? filters : { and: [{ schema }, ...(filters ? [filters] : [])] },
        ...(steps ? { selection: { steps: [{ step: 'member', name: 'data' }, ...steps], value } } : {}),
        include: { superseded },
      })
    },
  }),
] as const
