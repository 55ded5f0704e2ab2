// The verbs of traces: store, complete, get, query, search, follow links, count.
import { z } from 'zod'
import { beginningOf } from '../../core/calendar/day.ts'
import { defineCapability } from '../../core/capability/capability.ts'
import type { WriteContext } from '../../core/capability/context.ts'
import type { RecordReader } from '../../core/capability/port/record-port.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import { citedIds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf } from '../../core/record.ts'
import { needUnderstood } from '../../core/capability/understood.ts'
import { recordId } from '../../shape/record-id.ts'
import { sealed, sealedField } from '../../shape/sealed-count.ts'
import { checkCategory } from './definition/category.ts'
import { definedCategory } from './definition/definition.ts'
import type { TraceCategory } from './definition/definition-schema.ts'
import { isStored } from './known-id.ts'
import { splitScope } from './own-scope.ts'
import { receipt, recordPage, recordQuery } from './record-schema.ts'
import { traceKind } from './trace-kind.ts'
import { trace, type Trace, type TraceBody, traceInput, traceResult } from './trace-schema.ts'

/** Holds a trace against the category that is registered for its action in its domain, if one is. */
function checkTrace(
  body: Pick<TraceBody, 'situation' | 'action' | 'result'>,
  at: WriteContext<'records'>,
): void {
  const category = definedCategory(at.records.rules, body.situation.domain, body.action.type)
  if (category) checkCategory(category, body, '')
}

/** A check of traces that come together, by their numbers: each category is looked up once. */
function createManyCheck(at: WriteContext<'records'>) {
  const known = new Map<string, TraceCategory | undefined>()
  return (body: Pick<TraceBody, 'situation' | 'action' | 'result'>, i: number) => {
    const key = JSON.stringify([body.situation.domain, body.action.type])
    if (!known.has(key))
      known.set(key, definedCategory(at.records.rules, body.situation.domain, body.action.type))
    const category = known.get(key)
    if (category) checkCategory(category, body, `traces.${i}.`)
  }
}

/** Stores a trace that was checked; under an id that there is already, only the same again or what is to replace it. */
function storeTrace(
  input: z.output<typeof traceInput>,
  at: WriteContext<'records'>,
  path: string = 'id',
): string {
  const { scope, rest } = splitScope(input)
  const { id, replace, timestamp: said, ...body } = rest
  const before = id !== undefined && said === undefined ? timeOf(id, replace, at) : undefined
  const timestamp = beginningOf(said ?? before ?? at.call.now, at.call.zone)
  const known = { timestamp, ...body } as JsonObject
  if (id !== undefined && isStored({ id, body: known, scope, replace, path }, at)) return id
  return at.records.put({ kind: 'trace', ...(id ? { id } : {}), body: known, scope, checked: true })
}

/** When a trace that is there already happened; one that is replaced need not be readable here. */
function timeOf(id: string, replace: boolean, { records }: WriteContext<'records'>): string | undefined {
  try {
    return getTrace(id, records)?.timestamp
  } catch (error) {
    if (replace && isDaybookError(error, 'locked')) return undefined
    throw error
  }
}

function getTrace(id: string, { get }: Pick<RecordReader, 'get'>): Trace | undefined {
  const found = get(id)
  return found?.kind === 'trace' ? (found as unknown as Trace) : undefined
}

export const traceCapabilities = [
  defineCapability({
    id: 'kstar:store_trace',
    permission: 'write',
    methods: ['traces.store'],
    summary: 'Stores what an agent did: situation, task, action and, if known, result.',
    input: traceInput,
    output: receipt,
    effect: 'write',
    uses: ['records'],
    run(input, at) {
      checkTrace(input, at)
      return { id: storeTrace(input, at), stored_at: at.call.now, durability: at.call.durability }
    },
  }),
  defineCapability({
    id: 'kstar:store_traces',
    permission: 'write',
    methods: ['traces.storeMany'],
    summary: 'Stores up to 1,000 traces in one transaction: all of them or none.',
    input: z.strictObject({ traces: z.array(traceInput).min(1).max(1000) }),
    output: z.object({
      ids: z.array(z.string()),
      stored_at: z.string(),
      durability: receipt.shape.durability,
    }),
    effect: 'write',
    uses: ['records'],
    run({ traces }, at) {
      traces.forEach(createManyCheck(at))
      return {
        ids: traces.map((one, i) => storeTrace(one, at, `traces.${i}.id`)),
        stored_at: at.call.now,
        durability: at.call.durability,
      }
    },
  }),
  defineCapability({
    id: 'kstar:complete_trace',
    permission: 'write',
    methods: ['traces.complete'],
    summary: 'Adds the result to a trace that was stored without one.',
    input: z.strictObject({
      id: recordId,
      result: traceResult,
      /** Replaces a result that is already there; it stays in the history. */
      replace: z.boolean().default(false),
    }),
    output: receipt,
    effect: 'write',
    uses: ['records'],
    run({ id, result, replace }, at) {
      const found = getTrace(id, at.records)
      if (!found)
        throw new DaybookError('not-found', `There is no trace \`${id}\`.`, { details: { path: 'id' } })
      needUnderstood(traceKind, found)
      if (found.result && !replace) {
        throw new DaybookError(
          'conflict',
          'The trace already has a result; pass replace: true to change it.',
          {
            details: { path: 'result' },
          },
        )
      }
      checkTrace({ ...found, result }, at)
      at.records.put({ kind: 'trace', id, body: { ...bodyOf(found), result } as JsonObject })
      return { id, stored_at: at.call.now, durability: at.call.durability }
    },
  }),
  defineCapability({
    id: 'kstar:get_trace',
    permission: 'read',
    methods: ['traces.get'],
    summary: 'Reads one trace, or null when there is none of that id.',
    input: z.strictObject({ id: recordId }),
    output: trace.nullable(),
    effect: 'read',
    uses: ['records'],
    run: ({ id }, at) => getTrace(id, at.records) ?? null,
  }),
  defineCapability({
    id: 'kstar:query_traces',
    permission: 'read',
    methods: ['traces.query'],
    summary: 'Lists traces by filters and order, newest first unless asked otherwise, a page at a time.',
    input: recordQuery.prefault({}),
    output: recordPage(trace),
    effect: 'read',
    uses: ['records'],
    run({ order_by: orderBy, ...query }, at) {
      const page = at.records.query({ ...query, kind: 'trace', orderBy })
      return { ...page, records: page.records as unknown as Trace[] }
    },
  }),
  defineCapability({
    id: 'kstar:search_traces',
    permission: 'read',
    methods: ['traces.search'],
    summary: 'Finds traces by words, best match first, in all their text or only in the given fields.',
    input: z.strictObject({
      query: z.string().max(10_000),
      fields: z.array(z.string().min(1).max(512)).min(1).max(32).optional(),
      match: z.enum(['any', 'all']).default('any'),
      prefix: z.boolean().default(false),
      filters: recordQuery.shape.filters,
      limit: z.number().int().min(1).max(1000).default(20),
      offset: z.number().int().min(0).max(1_000_000).default(0),
    }),
    output: z.object({ records: z.array(trace), scores: z.array(z.number()), sealed }),
    effect: 'read',
    uses: ['records'],
    run({ query: text, ...query }, at) {
      const hits = at.records.search({ ...query, text, kind: 'trace' })
      return {
        records: hits.map((hit) => hit.record as unknown as Trace),
        scores: hits.map((hit) => hit.score),
        ...sealedField(at.records.unread({ kinds: ['trace'] })),
      }
    },
  }),
  defineCapability({
    id: 'kstar:linked_traces',
    permission: 'read',
    methods: ['traces.linked'],
    summary: 'Reads the traces that one trace links to, and those that link to it.',
    input: z.strictObject({ id: recordId }),
    output: z.object({ to: z.array(trace), from: z.array(trace), sealed }),
    effect: 'read',
    uses: ['records'],
    run({ id }, at) {
      const read = (ids: readonly string[]) => ids.flatMap((one) => getTrace(one, at.records) ?? [])
      return {
        to: read(citedIds(getTrace(id, at.records) ?? {}, 'metadata.linked_traces')),
        from: read(at.records.citing(id).map((one) => one.id)),
        ...sealedField(at.records.unread({ kinds: ['trace'] })),
      }
    },
  }),
  defineCapability({
    id: 'kstar:count_traces',
    permission: 'read',
    methods: ['traces.count'],
    summary:
      'Counts traces, in all and by hour, day or month of when they happened; with `none` only in all.',
    input: z
      .strictObject({
        filters: recordQuery.shape.filters,
        by: z.enum(['hour', 'day', 'month', 'none']).default('day'),
      })
      .prefault({}),
    output: z.object({
      total: z.number(),
      /**
       * Oldest first; `at` is the instant at which the hour, day or month begins in the time zone of the book. Periods without
       * traces are left out.
       */
      buckets: z.array(z.object({ at: z.string(), count: z.number(), failed: z.number() })),
      sealed,
    }),
    effect: 'read',
    uses: ['records'],
    run: ({ filters, by }, at) => at.records.count({ kind: 'trace', filters, by }),
  }),
] as const
