// The verbs of facts: store, get by schema, query by path, supersede.
import { z } from 'zod'
import type { WriteContext } from '../../core/capability/context.ts'
import { DaybookError, notFound } from '../../core/errors.ts'
import { isLowered } from '../../core/sealed.ts'
import { parseJsonPath } from '../../core/json/json-path.ts'
import type { Json, JsonObject } from '../../core/json/path.ts'
import type { PutRequest } from '../../core/record.ts'
import { findSchema } from './definition.ts'
import { assertMatchesSchema } from './json-schema/json-schema.ts'
import { needUnderstood } from '../../core/capability/understood.ts'
import { defined } from '../../core/defined.ts'
import { splitScope } from './store-record.ts'
import { name, receipt } from './record-schema.ts'
import { type Fact, type FactBody, factInput, factKind, storedFact, supersedeInput } from './fact-kind.ts'
import { assertValidity, canonicalValidity } from './validity.ts'
import { page, readVerb, recordQuery, recordVerbs, writeVerb } from '../../shape/record-verbs.ts'
import { storedNow } from '../../shape/receipt.ts'

const factReceipt = receipt.extend({
  /** Version of the schema against which the data was checked; null if the schema is not registered. */
  schema_version: z.number().nullable(),
})

/** True: includes facts that another fact replaced. */
const includeSuperseded = z.boolean().default(false)
/** True: includes facts outside their validity. */
const includeExpired = z.boolean().default(false)

/** Most replaced facts to follow in search of a circle. Beyond them, a circle is not found. */
const maxChainLength = 10_000

const { asItem: asFact, ...verbs } = recordVerbs('fact', storedFact)

interface NewFact {
  /** Id from the caller. An existing fact of this id gets a new version. Absent: a new id. */
  readonly id?: string | undefined
  readonly body: Pick<
    FactBody,
    'schema' | 'data' | 'source' | 'verified' | 'supersedes' | 'valid_from' | 'valid_until'
  >
  readonly scope: PutRequest['scope'] & object
}

/**
 * Stores a fact, checked against the registered schema if there is one. A fact that replaces another inherits its
 * sensitivity.
 */
function storeFact({ id: newId, body: given, scope }: NewFact, at: WriteContext<'records'>) {
  const fact = canonicalValidity(given, at.call.zone)
  assertValidity(fact, 'valid_until')
  // Normalize to JSON, which drops undefined members.
  const data = JSON.parse(JSON.stringify(fact.data)) as JsonObject
  // `rules`: a schema binds a guest that can't see it.
  const definition = findSchema(at.records.rules, fact.schema)
  if (definition) assertMatchesSchema(definition.schema, data as Json, 'data', fact.schema)
  const replaced = fact.supersedes === undefined ? undefined : requireReplaceable(fact.supersedes, newId, at)
  const schema_version = definition?.version ?? null
  const body = { ...fact, data, ...(definition ? { schema_version: definition.version } : {}) }
  const id = at.records.put({
    kind: 'fact',
    ...defined({ id: newId }),
    body: body as unknown as JsonObject,
    scope: replaced ? inheritSensitivity(scope, replaced, at) : scope,
    checked: true,
  })
  return { id, ...storedNow(at.call), schema_version }
}

/**
 * Scope of a fact that replaces `replaced`: it inherits the sensitivity unless the caller sets another. Throws
 * `forbidden` if a guest lowers it.
 */
function inheritSensitivity(
  scope: NewFact['scope'],
  replaced: Fact,
  { call: { caller } }: WriteContext,
): NewFact['scope'] {
  const { sensitivity = replaced.sensitivity } = scope
  if (caller.role === 'guest' && isLowered(sensitivity, replaced.sensitivity)) {
    throw new DaybookError('forbidden', 'Only the owner of the book may make a fact less sensitive.', {
      details: { path: 'sensitivity' },
    })
  }
  return { ...scope, ...(sensitivity ? { sensitivity } : {}) }
}

/**
 * Returns the fact `id`, which the fact `newId` is to replace. Throws `conflict` if another fact already replaced it,
 * or if `newId` is among the facts that it replaces. Undefined `newId`: a new fact, which nothing can refer to yet.
 */
function requireReplaceable(
  id: string,
  newId: string | undefined,
  { records }: WriteContext<'records'>,
): Fact {
  const replacedFact = asFact(records.get(id))
  if (!replacedFact) throw notFound('fact', id, 'supersedes')
  // `next`: the fact that replaced this one. `current`: the last of the chain. `isDisplaced`: another fact took its
  // place.
  const { current, next, isDisplaced } = records.succession(id, 'fact')
  if (isDisplaced || (next !== undefined && next !== newId)) {
    throw new DaybookError('conflict', `\`${id}\` was superseded by \`${current}\`; supersede that one.`, {
      details: { path: 'supersedes', by: current },
    })
  }
  if (newId === undefined) return replacedFact
  let fact: Fact | undefined = replacedFact
  for (let steps = 0; fact && steps < maxChainLength; steps++) {
    if (fact.id === newId) {
      throw new DaybookError('conflict', "A fact can't supersede itself.", {
        details: { path: 'supersedes' },
      })
    }
    fact = fact.supersedes === undefined ? undefined : asFact(records.get(fact.supersedes))
  }
  return replacedFact
}

/** A value at a JSONPath. */
const value = z.union([z.string(), z.number(), z.boolean(), z.null()])

export const factCapabilities = [
  writeVerb({
    id: 'kstar:store_fact',
    method: 'facts.store',
    summary: 'Stores data of a named schema; where that schema is registered, the data must keep to it.',
    input: factInput,
    output: factReceipt,
    run(input, at) {
      const { scope, rest } = splitScope(input)
      const { id, ...body } = rest
      return storeFact({ id, body, scope }, at)
    },
  }),
  writeVerb({
    id: 'kstar:supersede_fact',
    method: 'facts.supersede',
    summary: 'Stores a fact that supersedes another, which keeps its history and leaves recall and queries.',
    input: supersedeInput,
    output: factReceipt,
    run(input, at) {
      const { scope, rest } = splitScope(input)
      const { id, ...body } = rest
      const replaced = asFact(at.records.get(id))
      if (!replaced) throw notFound('fact', id)
      needUnderstood(factKind, replaced)
      return storeFact({ body: { ...body, schema: replaced.schema, supersedes: id }, scope }, at)
    },
  }),
  readVerb({
    id: 'kstar:get_facts',
    method: 'facts.get',
    summary: 'Lists the facts of a schema, newest first.',
    input: z.strictObject({ schema: name, includeSuperseded, includeExpired, ...page }),
    output: verbs.page,
    run: ({ schema, includeSuperseded: superseded, includeExpired: expired, ...query }, at) =>
      verbs.pageOf(at, { ...query, filters: { schema }, include: { superseded, expired } }),
  }),
  readVerb({
    id: 'kstar:query_facts',
    method: 'facts.query',
    summary: 'Lists facts by schema, by the value at a JSONPath of their data, and by filters.',
    input: recordQuery
      .extend({
        schema: name.optional(),
        /** A JSONPath into the data: `$.a.b`, `$.a[0]`, `$.a[*].b`. */
        path: z.string().max(1000).optional(),
        /** Value that must be at `path`. Default: any value. */
        value: value.optional(),
        includeSuperseded,
        includeExpired,
      })
      .refine((input) => input.value === undefined || input.path !== undefined, {
        path: ['path'],
        message: 'is required with a value',
      })
      .prefault({}),
    output: verbs.page,
    run(
      { schema, path, value, filters, includeSuperseded: superseded, includeExpired: expired, ...query },
      at,
    ) {
      const steps = path === undefined ? undefined : parseJsonPath(path)
      return verbs.pageOf(at, {
        ...query,
        filters: schema === undefined ? filters : { and: [{ schema }, ...(filters ? [filters] : [])] },
        ...(steps ? { selection: { steps: [{ step: 'member', name: 'data' }, ...steps], value } } : {}),
        include: { superseded, expired },
      })
    },
  }),
] as const
