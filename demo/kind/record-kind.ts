// A kind of record in the inspector: the declaration for its list, search, filters, address and detail.
// Invariant: a declaration knows nothing of the page, and the page knows no single kind.
import type { CapabilityInput, CapabilityOutput, Daybook, Filters } from '../../src/index.ts'
import type { FilterFields, ListOptions } from './filter-field.ts'
import type { MarkName } from './mark.ts'
import type { View } from './view.ts'

/** The marks of a record, beside its body. */
export type Marks = CapabilityOutput<'mark:set'>['marks']

export type Sensitivity = CapabilityInput<'kstar:set_sensitivity'>['sensitivity']

/** The fields of every record. */
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

/** A record as a row of a list, small enough for thousands of rows. */
export interface RecordRow {
  readonly id: string
  readonly at: string
  readonly mark: MarkName
  readonly title: string
  /** Begins the second line, in the font of data; `rest` follows. */
  readonly lead: string
  readonly rest: string
  /** `rest` is prose, not data. */
  readonly isProse?: boolean
  readonly aside: string
  /** The passage that a search matched, instead of `lead` and `rest`. */
  readonly matched?: readonly { readonly text: string; readonly isMatch: boolean }[]
  /** A share from 0 to 1, drawn as a bar beside `aside`. */
  readonly share?: number
  readonly marks?: Marks
  readonly sensitivity?: Sensitivity | undefined
  /** Values of filter fields, to suggest for a filter. */
  readonly seen: Readonly<Record<string, readonly string[]>>
}

/** The query of a list, one page at a time. */
export interface RecordAsk {
  readonly filters?: Filters
  readonly limit: number
  readonly offset?: number
  readonly cursor?: string
  /** Query options of the chosen filters, such as hidden records. */
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

/** A path of the body with ids of other records, and the name of the link from either side. */
export interface Cites<Item extends BookRecord = BookRecord> {
  readonly path: string
  readonly to: string
  readonly from: string
  /** True for a record that depends on these: forgetting them all forgets it too. */
  rests?(item: Item): boolean
}

export interface RecordKind<Item extends BookRecord = BookRecord> {
  /** Its view in the address. */
  readonly view: View
  /** Its name in the book. */
  readonly name: string
  readonly one: string
  readonly many: string
  /** The order of the list, in words. */
  readonly order: string
  readonly fields: FilterFields
  /** The path of a record's time, if the list is in order of it. */
  readonly timePath?: string
  /** A sentence about the detail of a record. */
  readonly glance: string
  /** A sentence about the searched fields. Absent: no search. */
  readonly searched?: string
  /** Records may have failed; the list shows how many. */
  readonly fails?: boolean
  /** Expired or superseded records are hidden unless chosen. */
  readonly hides?: boolean
  readonly cites: readonly Cites<Item>[]
  row(item: Item): RecordRow
  /** Reads a page. Absent: the generic verb has all fields of a row. */
  query?(book: Daybook, ask: RecordAsk, options?: Aborting): Promise<RecordPage<Item>>
  /** Replaces the record's content. Absent: people don't edit this kind. */
  replace?(book: Daybook, id: string, content: object): Promise<unknown>
  /** Adds fields that a row needs to a record that was read by id. */
  complete?(book: Daybook, item: Item): Promise<Item>
}
