// Where the rows of the trace list come from: a page of a query, or a page of a search.
// A query remembers the cursors it met, so that a page is reached from the nearest one even while records arrive.
import type { Daybook, Filters, Trace } from '../../src/index.ts'
import { type Page, pageRows } from './row-page.ts'
import { noteSeen } from './seen-value.ts'
import { type TraceRow, traceRow } from './trace-row.ts'

export type LoadPage = (page: number, signal: AbortSignal) => Promise<Page<TraceRow>>

/** Pages of traces, newest first. */
export function queryPages(book: Daybook, filters: Filters | undefined): LoadPage {
  const cursors = new Map<number, string>()
  return async (page, signal) => {
    let from = page
    while (from > 0 && !cursors.has(from)) from -= 1
    const cursor = cursors.get(from)
    const { records, cursor: next } = await book.traces.query(
      {
        ...(filters ? { filters } : {}),
        ...(cursor === undefined ? {} : { cursor }),
        offset: (page - from) * pageRows,
        limit: pageRows,
      },
      { signal },
    )
    if (next !== undefined) cursors.set(page + 1, next)
    return { rows: rowsOf(records), hasMore: next !== undefined }
  }
}

/** A single letter begins so many words that it stands for itself. */
const prefixLength = 2

/** Pages of traces that have the words, best match first; the last word may be the beginning of one. */
export function searchPages(
  book: Daybook,
  { text, match, filters }: { text: string; match: 'all' | 'any'; filters: Filters | undefined },
): LoadPage {
  const isPrefix = (/\S*$/.exec(text)?.[0].length ?? 0) >= prefixLength
  return async (page, signal) => {
    const { records } = await book.traces.search(
      {
        query: text,
        match,
        prefix: isPrefix,
        ...(filters ? { filters } : {}),
        offset: page * pageRows,
        limit: pageRows + 1,
      },
      { signal },
    )
    return { rows: rowsOf(records.slice(0, pageRows)), hasMore: records.length > pageRows }
  }
}

function rowsOf(records: readonly Trace[]): TraceRow[] {
  const rows = records.map((record) => traceRow(record))
  for (const row of rows) noteSeen(row)
  return rows
}
