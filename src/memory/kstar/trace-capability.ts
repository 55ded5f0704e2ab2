// The verbs of traces: store, complete, get, query, search, follow links, count.
import { z } from 'zod'
import type { WriteContext } from '../../core/capability/context.ts'
import type { RecordReader } from '../../core/capability/port/record-port.ts'
import { DaybookError, isDaybookError, notFound } from '../../core/errors.ts'
import { citedIds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf } from '../../core/record.ts'
import { needUnderstood } from '../../core/capability/understood.ts'
import { recordId, sealed, sealedField } from '../../shape/field.ts'
import { receipt } from './record-schema.ts'
import { trace, type Trace, type TraceBody, traceInput, traceKind, traceResult } from './trace-kind.ts'
import { isAlreadyStored, splitScope } from './store-record.ts'
import { assertCategory, findCategory, type TraceCategory } from './definition.ts'
import { readVerb, recordVerbs, writeVerb } from '../../shape/record-verbs.ts'
import { stored, storedNow } from '../../shape/receipt.ts'
import { beginningOf } from '../../core/zone.ts'

/**
 * Checks a trace against the category that is registered for its action and domain, if there is one. `rules`:
 * the category binds a guest that can't see it.
 */
function assertTraceCategory(
  body: Pick<TraceBody, 'situation' | 'action' | 'result'>,
  at: WriteContext<'records'>,
): void {
  const category = findCategory(at.records.rules, body.situation.domain, body.action.type)
  if (category) assertCategory(category, body, '')
}

/**
 * Returns a check for the traces of one call; the error names the index of the trace. Looks up each category once.
 */
function createCategoryCheck(at: WriteContext<'records'>) {
  const categories = new Map<string, TraceCategory | undefined>()
  return (body: Pick<TraceBody, 'situation' | 'action' | 'result'>, i: number) => {
    const key = JSON.stringify([body.situation.domain, body.action.type])
    if (!categories.has(key))
      categories.set(key, findCategory(at.records.rules, body.situation.domain, body.action.type))
    const category = categories.get(key)
    if (category) assertCategory(category, body, `traces.${i}.`)
  }
}

/**
 * Stores a trace that was checked, and returns its id. An existing id is an error, unless the content is the same
 * or `replace` is true. Without a time in the input, the existing trace's time counts, so a repeated call has the same
 * content. `path`: path of the id in the input, for errors.
 */
function storeTrace(
  input: z.output<typeof traceInput>,
  at: WriteContext<'records'>,
  path: string = 'id',
): string {
  const { scope, rest } = splitScope(input)
  const { id, replace, timestamp: givenTime, ...body } = rest
  const previousTime = id !== undefined && givenTime === undefined ? existingTime(id, replace, at) : undefined
  const timestamp = beginningOf(givenTime ?? previousTime ?? at.call.now, at.call.zone)
  const traceBody = { timestamp, ...body } as JsonObject
  if (id !== undefined && isAlreadyStored({ id, body: traceBody, scope, replace, path }, at)) return id
  return at.records.put({ kind: 'trace', ...(id ? { id } : {}), body: traceBody, scope, checked: true })
}

/** Time of an existing trace; undefined without one, or if a trace to replace is locked here. */
function existingTime(
  id: string,
  replace: boolean,
  { records }: WriteContext<'records'>,
): string | undefined {
  try {
    return getTrace(id, records)?.timestamp
  } catch (error) {
    if (replace && isDaybookError(error, 'locked')) return undefined
    throw error
  }
}

const verbs = recordVerbs('trace', trace)

function getTrace(id: string, { get }: Pick<RecordReader, 'get'>): Trace | undefined {
  return verbs.asItem(get(id))
}

export const traceCapabilities = [
  writeVerb({
    id: 'kstar:store_trace',
    method: 'traces.store',
    summary: "Stores an agent's action: situation, task, action and, if known, result.",
    input: traceInput,
    output: receipt,
    run(input, at) {
      assertTraceCategory(input, at)
      return { id: storeTrace(input, at), ...storedNow(at.call) }
    },
  }),
  writeVerb({
    id: 'kstar:store_traces',
    method: 'traces.storeMany',
    summary: 'Stores up to 1,000 traces in one transaction: all of them or none.',
    input: z.strictObject({ traces: z.array(traceInput).min(1).max(1000) }),
    output: z.object({ ids: z.array(z.string()), ...stored }),
    run({ traces }, at) {
      traces.forEach(createCategoryCheck(at))
      return { ids: traces.map((input, i) => storeTrace(input, at, `traces.${i}.id`)), ...storedNow(at.call) }
    },
  }),
  writeVerb({
    id: 'kstar:complete_trace',
    method: 'traces.complete',
    summary: 'Adds the result to a trace that was stored without one.',
    input: z.strictObject({
      id: recordId,
      result: traceResult,
      /** True: replaces an existing result, which stays in the history. */
      replace: z.boolean().default(false),
    }),
    output: receipt,
    run({ id, result, replace }, at) {
      const storedTrace = getTrace(id, at.records)
      if (!storedTrace) throw notFound('trace', id)
      // Throws `record-newer` for a body of a later version.
      needUnderstood(traceKind, storedTrace)
      if (storedTrace.result && !replace) {
        throw new DaybookError(
          'conflict',
          'The trace already has a result; pass replace: true to change it.',
          {
            details: { path: 'result' },
          },
        )
      }
      assertTraceCategory({ ...storedTrace, result }, at)
      at.records.put({ kind: 'trace', id, body: { ...bodyOf(storedTrace), result } as JsonObject })
      return { id, ...storedNow(at.call) }
    },
  }),
  verbs.get({
    id: 'kstar:get_trace',
    method: 'traces.get',
    summary: 'Reads one trace by id, or null.',
  }),
  verbs.query({
    id: 'kstar:query_traces',
    method: 'traces.query',
    summary: 'Lists traces by filters and order, newest first unless asked otherwise, a page at a time.',
  }),
  verbs.search({
    id: 'kstar:search_traces',
    method: 'traces.search',
    summary: 'Finds traces by words, best match first, in all their text or only in the given fields.',
  }),
  readVerb({
    id: 'kstar:linked_traces',
    method: 'traces.linked',
    summary: 'Reads the traces that one trace links to, and those that link to it.',
    input: z.strictObject({ id: recordId }),
    output: z.object({ to: z.array(trace), from: z.array(trace), sealed }),
    run({ id }, at) {
      const readTraces = (ids: readonly string[]) =>
        ids.flatMap((linkedId) => getTrace(linkedId, at.records) ?? [])
      return {
        to: readTraces(citedIds(getTrace(id, at.records) ?? {}, 'metadata.linked_traces')),
        from: readTraces(at.records.citing(id).map((citation) => citation.id)),
        ...sealedField(at.records.unread({ kinds: ['trace'] })),
      }
    },
  }),
  verbs.count({
    id: 'kstar:count_traces',
    method: 'traces.count',
    summary:
      'Counts traces: the total, and a count for each hour, day or month; with `none`, only the total.',
  }),
] as const
