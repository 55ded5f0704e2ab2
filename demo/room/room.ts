// A room of records: the declaration from which list, search, filters, address, detail and forgetting are made.
// Invariant: a room knows its kind and nothing of the page; the page knows rooms and no kind.
import type { CapabilityOutput, Daybook, Filters } from '../../src/index.ts'
import type { FilterFields } from './filter-field.ts'
import type { MarkName } from './mark.ts'

/** What every record has, whatever its kind. */
export interface BookRecord {
  readonly id: string
  readonly kind: string
  readonly created_at: string
  readonly updated_at: string
  readonly ver: number
  readonly agent: string
  readonly session?: string | undefined
}

/** A record as a line of a list: little enough that thousands of them weigh nothing. */
export interface RecordRow {
  readonly id: string
  readonly at: string
  readonly mark: MarkName
  readonly title: string
  /** What stands first in the second line, in the type of data; `rest` follows it. */
  readonly lead: string
  readonly rest: string
  readonly aside: string
  /** Values of filter fields, by field, to be suggested when a filter is made. */
  readonly seen: Readonly<Record<string, readonly string[]>>
}

/** What a list asks of the book, a page at a time. */
export interface RecordAsk {
  readonly filters?: Filters
  readonly limit: number
  readonly offset?: number
  readonly cursor?: string
  /** What the chosen filters ask for besides filters, such as records that are hidden otherwise. */
  readonly options: Readonly<Record<string, unknown>>
}

export interface SearchAsk {
  readonly query: string
  readonly match: 'all' | 'any'
  readonly prefix: boolean
  readonly filters?: Filters
  readonly limit: number
  readonly offset: number
}

export type Version = CapabilityOutput<'kstar:history'>['versions'][number]
export type Bucket = CapabilityOutput<'kstar:count_traces'>['buckets'][number]
export interface Counted {
  readonly total: number
  readonly buckets: readonly Bucket[]
}

/** Records that the open one stands beside: those it cites, and those that cite it. */
export interface LinkGroup {
  readonly name: string
  readonly direction: 'to' | 'from'
  readonly records: readonly BookRecord[]
  /** Ids that lead to nothing in this book: forgotten, or not fetched yet. */
  readonly missing: readonly string[]
}

interface Aborting {
  readonly signal?: AbortSignal
}

export interface RecordRoom<Item extends BookRecord = BookRecord> {
  readonly view: string
  readonly kind: string
  readonly one: string
  readonly many: string
  readonly fields: FilterFields
  /** Where a record's own time stands, for finding its place in a list that is ordered by it. */
  readonly timePath: string
  /** What opening one shows, in a sentence. */
  readonly glance: string
  /** What search looks at, in a sentence. */
  readonly searched: string
  row(item: Item): RecordRow
  get(book: Daybook, id: string): Promise<Item | null>
  query(
    book: Daybook,
    ask: RecordAsk,
    options?: Aborting,
  ): Promise<{ readonly records: readonly Item[]; readonly cursor?: string | undefined }>
  search(book: Daybook, ask: SearchAsk, options?: Aborting): Promise<readonly Item[]>
  /** Absent where the book counts only what it lists. */
  count?(book: Daybook, filters: Filters | undefined, by: 'hour' | 'day'): Promise<Counted>
  links(book: Daybook, item: Item): Promise<readonly LinkGroup[]>
}
