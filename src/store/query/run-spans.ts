// The runs of a book: what traces and messages of the same session say together, counted on the hot columns.
// Invariant: who may see only some of the records is told of these alone.
import type { RunQuery, RunSpan } from '../../core/capability/port/record-port.ts'
import type { SqlRow } from '../../core/ports.ts'
import { conditionOf, type Read } from '../condition/condition.ts'
import type { Fragment } from '../schema/column.ts'

/** One span for each session, in no order. The projection has caught up. */
export function readRunSpans(read: Read, bounds: readonly Fragment[], query: RunQuery): RunSpan[] {
  const { agent, session } = query
  const where: Fragment[] = [
    session === undefined
      ? { sql: 'f.session IS NOT NULL', params: [] }
      : { sql: 'f.session = ?', params: [session] },
    { sql: "f.kind IN ('trace', 'message')", params: [] },
    ...(agent === undefined ? [] : [{ sql: 'r.agent = ?', params: [agent] }]),
    ...bounds,
  ]
  const { condition, params, records } = conditionOf(where)
  return read<RunSpan & SqlRow>(
    `SELECT f.session, count(CASE WHEN f.kind = 'trace' THEN 1 END) AS steps,
       count(CASE WHEN f.kind = 'message' THEN 1 END) AS messages,
       count(CASE WHEN f.success = 0 THEN 1 END) AS failed,
       min(f.happened_at) AS started_at, max(f.happened_at) AS ended_at
     FROM facets f ${records} WHERE ${condition} GROUP BY f.session`,
    params,
  )
}

/** What two stores of one book tell of its runs, as one. */
export function joinRunSpans(one: readonly RunSpan[], others: readonly RunSpan[]): RunSpan[] {
  const joined = new Map(one.map((span) => [span.session, span]))
  for (const other of others) {
    const before = joined.get(other.session)
    joined.set(other.session, before ? addSpans(before, other) : other)
  }
  return [...joined.values()]
}

function addSpans(one: RunSpan, other: RunSpan): RunSpan {
  return {
    session: one.session,
    steps: one.steps + other.steps,
    messages: one.messages + other.messages,
    failed: one.failed + other.failed,
    started_at: one.started_at < other.started_at ? one.started_at : other.started_at,
    ended_at: one.ended_at > other.ended_at ? one.ended_at : other.ended_at,
  }
}
