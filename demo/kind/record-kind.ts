// A kind of record as the inspector shows it: the declaration from which list, search, filters, address, detail and
// forgetting are made. Invariant: a declaration knows its kind and nothing of the page; the page knows no kind by itself.
import type { CapabilityInput, CapabilityOutput, Daybook, Filters } from '../../src/index.ts'
import type { FilterFields, ListOptions } from './filter-field.ts'
import type { MarkName } from './mark.ts'
import type { View } from './view.ts'

/** What was said of a record, beside what it holds. */
export type Marks = CapabilityOutput<'mark:set'>['marks']

export type Sensitivity = CapabilityInput<'kstar:set_sensitivity'>['sensitivity']

/** What every record has, whatever its kind. */
export interface BookRecord {
  readonly id: string
  readonly kind: string
  readonly created_at: string
  readonly updated_at: string
  readonly ver: number
  readonly agent: string
  readonly session?: string | undefined
  readonly marks?: Marks | undefined
  readonly sensitivity?: Sensitivity | undefined
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
  /** `rest` is words of a person, not data. */
  readonly isProse?: boolean
  readonly aside: string
  /** What a search has met in it, in place of `lead` and `rest`. */
  readonly met?: readonly { readonly text: string; readonly isMatch: boolean }[]
  /** A share from 0 to 1, drawn as a bar beside `aside`. */
  readonly share?: number
  readonly marks?: Marks
  readonly sensitivity?: Sensitivity | undefined
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
  readonly options: ListOptions
}

export interface SearchAsk {
  readonly query: string
  readonly match: 'all' | 'any'
  readonly prefix: boolean
  readonly filters?: Filters
  readonly limit: number
  readonly offset: number
}

export interface RecordPage<Item> {
  readonly records: readonly Item[]
  readonly cursor?: string | undefined
}

export type Version = CapabilityOutput<'kstar:history'>['versions'][number]
export type Bucket = CapabilityOutput<'kstar:count_memory'>['buckets'][number]

interface Aborting {
  readonly signal?: AbortSignal
}

/** A path of the body that names other records, and what that is called from either side. */
export interface Cites<Item extends BookRecord = BookRecord> {
  readonly path: string
  readonly to: string
  readonly from: string
  /** True for a record that would have nothing to stand on without these: forgetting them all forgets it too. */
  rests?(item: Item): boolean
}

export interface RecordKind<Item extends BookRecord = BookRecord> {
  /** What the address calls its view. */
  readonly view: View
  /** What the book calls it. */
  readonly name: string
  readonly one: string
  readonly many: string
  /** How the list is ordered, as its head says it. */
  readonly order: string
  readonly fields: FilterFields
  /** Where a record's own time stands, for finding its place in a list that is ordered by it; absent where it isn't. */
  readonly timePath?: string
  /** What opening one shows, in a sentence. */
  readonly glance: string
  /** What search looks at, in a sentence. Absent where there is nothing to search. */
  readonly searched?: string
  /** Some of these failed, and how many is told with them. */
  readonly fails?: boolean
  /** Some records are left out unless they are asked for: expired or superseded ones. */
  readonly hides?: boolean
  readonly cites: readonly Cites<Item>[]
  row(item: Item): RecordRow
  /** Asks for a page; absent where the generic verb says all that the rows need. */
  query?(book: Daybook, ask: RecordAsk, options?: Aborting): Promise<RecordPage<Item>>
  /** Stores the record anew under its id, with this content; absent for a kind that people don't edit. */
  replace?(book: Daybook, id: string, content: object): Promise<unknown>
  /** What a record that was read by its id needs besides for its row. */
  complete?(book: Daybook, item: Item): Promise<Item>
}
