// Pages of a list: from a query or a search, and the values of their filter fields, which the page suggests for filters.
// A query remembers its cursors, so a page starts at the nearest one even while records arrive.
import type { Daybook, Filters } from '../../../src/index.ts'
import type { ListOptions } from '../../kind/filter-field.ts'
import type { BookRecord, RecordAsk, RecordKind, RecordPage, RecordRow } from '../../kind/record-kind.ts'
import { matchedPieces } from '../../wording/passage-word.ts'
import { type Page, pageRows } from './row-page.ts'
import { onEmptied } from '../held.ts'
import { withoutSecrets } from '../record/secret.ts'

type LoadPage = (page: number, signal: AbortSignal) => Promise<Page<RecordRow>>

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

interface ListQuery {
  readonly filters: Filters | undefined
  readonly options: ListOptions
}

/** Pages of a kind's records, newest first. */
export function queryPages(book: Daybook, kind: RecordKind, { filters, options }: ListQuery): LoadPage {
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
    return { rows: rowsOf(kind, await withoutSecrets(book, records)), hasMore: next !== undefined }
  }
}

/** A shorter text is not the beginning of a word: too many words begin with one letter. */
const prefixLength = 2

/** A number is never the beginning of another: `acme-42` is not `acme-423`. */
const mayBegin = (word: string) => word.length >= prefixLength && !/\d/.test(word)

interface Search {
  readonly text: string
  readonly match: 'all' | 'any'
}

/** The input of a search. Its last word may be the beginning of a word. */
export const searchAsk = ({ text, match }: Search) => ({
  query: text,
  match,
  prefix: mayBegin(/\S*$/.exec(text)?.[0] ?? ''),
})

/** A search ranks all of its hits for any page, so it reads this many pages at once, after the first. */
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
  /** The pages from `first` on. Only the last block stays, and no failed one. */
  const block = (first: number, signal: AbortSignal) => {
    const running = blocks.get(first)
    if (running) return running
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
    const found = await withoutSecrets(book, records.slice(from, from + pageRows))
    const rows = rowsOf(kind, found).map((row, i) => ({
      ...row,
      matched: matchedPieces(found[i] ?? {}, text),
    }))
    return { rows, hasMore: records.length > from + pageRows }
  }
}

function rowsOf(kind: RecordKind, records: readonly BookRecord[]): RecordRow[] {
  const rows = records.map((record) => kind.row(record))
  for (const row of rows) noteSeen(kind.view, row)
  return rows
}

const mostValues = 200
const seen = new Map<string, Set<string>>()

const placeOf = (view: string, field: string) => `${view} ${field}`

function noteSeen(view: string, { seen: found }: RecordRow): void {
  for (const [field, values] of Object.entries(found)) {
    const place = placeOf(view, field)
    const all = seen.get(place) ?? new Set()
    seen.set(place, all)
    for (const value of values)
      if (value !== '' && !value.endsWith('…') && all.size < mostValues) all.add(value)
  }
}

export function seenValues(view: string, field: string): string[] {
  return [...(seen.get(placeOf(view, field)) ?? [])].sort()
}

/** Forgets all values, for one may be of a deleted record. The list adds its own again. */
export const forgetSeen = (): void => seen.clear()
onEmptied(forgetSeen)
