// Where the rows of a list come from: a page of a query, or a page of a search.
// A query remembers the cursors it met, so that a page is reached from the nearest one even while records arrive.
import type { Daybook, Filters } from '../../../src/index.ts'
import type { ListOptions } from '../../kind/filter-field.ts'
import type { BookRecord, RecordAsk, RecordPage, RecordKind, RecordRow } from '../../kind/record-kind.ts'
import { metPieces } from '../../wording/passage-word.ts'
import { type Page, pageRows } from './row-page.ts'
import { noteSeen } from './seen-value.ts'

export type LoadPage = (page: number, signal: AbortSignal) => Promise<Page<RecordRow>>

/** A page of a kind's records, by its own verb or the one for all kinds. */
function queryRecords(
  book: Daybook,
  kind: RecordKind,
  { options, ...ask }: RecordAsk,
  signal: AbortSignal,
): Promise<RecordPage<BookRecord>> {
  if (kind.query) return kind.query(book, { options, ...ask }, { signal })
  return book.records.query({ kind: kind.name, ...ask, ...options }, { signal })
}

interface Asked {
  readonly filters: Filters | undefined
  readonly options: ListOptions
}

/** Pages of a kind's records, newest first. */
export function queryPages(book: Daybook, kind: RecordKind, { filters, options }: Asked): LoadPage {
  const cursors = new Map<number, string>()
  return async (page, signal) => {
    let from = page
    while (from > 0 && !cursors.has(from)) from -= 1
    const cursor = cursors.get(from)
    const ask = {
      ...(filters ? { filters } : {}),
      ...(cursor === undefined ? {} : { cursor }),
      offset: (page - from) * pageRows,
      limit: pageRows,
      options,
    }
    const { records, cursor: next } = await queryRecords(book, kind, ask, signal)
    if (next !== undefined) cursors.set(page + 1, next)
    return { rows: rowsOf(kind, records), hasMore: next !== undefined }
  }
}

/** A single letter begins so many words that it stands for itself. */
const prefixLength = 2

/** A number is never the beginning of another: `acme-42` is not `acme-423`. */
const mayBegin = (word: string) => word.length >= prefixLength && !/\d/.test(word)

interface Search {
  readonly text: string
  readonly match: 'all' | 'any'
}

/** A search as the book is asked for it. The last word may be the beginning of one. */
export const searchAsk = ({ text, match }: Search) => ({
  query: text,
  match,
  prefix: mayBegin(/\S*$/.exec(text)?.[0] ?? ''),
})

/** A search ranks all that it finds, whatever part of it is asked for: so many pages come at once, but for the first. */
const rankedPages = 8

/** Pages of records that have the words, best match first. */
export function searchPages(
  book: Daybook,
  kind: RecordKind,
  { text, match, filters }: Search & { readonly filters: Filters | undefined },
): LoadPage {
  const ask = { kind: kind.name, ...searchAsk({ text, match }), ...(filters ? { filters } : {}) }
  const blocks = new Map<number, Promise<readonly BookRecord[]>>()
  const search = async (first: number, pages: number, signal: AbortSignal) => {
    const part = { offset: first * pageRows, limit: pages * pageRows + 1 }
    return (await book.records.search({ ...ask, ...part }, { signal })).records
  }
  /** The pages after the first, from `first` on. Only the last block is kept, and none that failed. */
  const block = (first: number, signal: AbortSignal) => {
    const known = blocks.get(first)
    if (known) return known
    blocks.clear()
    const records = search(first, rankedPages, signal)
    blocks.set(first, records)
    records.catch(() => blocks.delete(first))
    return records
  }
  return async (page, signal) => {
    const first = page === 0 ? 0 : page - ((page - 1) % rankedPages)
    const records = await (page === 0 ? search(0, 1, signal) : block(first, signal))
    const from = (page - first) * pageRows
    const found = records.slice(from, from + pageRows)
    const rows = rowsOf(kind, found).map((row, i) => ({ ...row, met: metPieces(found[i] ?? {}, text) }))
    return { rows, hasMore: records.length > from + pageRows }
  }
}

function rowsOf(kind: RecordKind, records: readonly BookRecord[]): RecordRow[] {
  const rows = records.map((record) => kind.row(record))
  for (const row of rows) noteSeen(kind.view, row)
  return rows
}
