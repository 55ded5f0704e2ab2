// The list of a kind's records for the search and filters of the address, how many there are, and what came since.
// Invariant: a change in the book never moves the list; it is counted in `fresh` until the reader asks for it.
import { computed, effect, signal } from '@preact/signals'
import type { Daybook } from '../../../src/index.ts'
import { kindOfView } from '../../kind/kind-table.ts'
import type { Bucket, RecordKind, RecordRow } from '../../kind/record-kind.ts'
import { address, listedKind } from '../address.ts'
import { book } from '../book.ts'
import { filtersOf, optionsOf } from '../filter-chip.ts'
import { queryPages, searchPages } from './record-source.ts'
import { pageRows, RowPages } from './row-page.ts'

export interface RecordList {
  readonly kind: RecordKind
  readonly key: string
  readonly search: string
  /** How the words of a search were matched; `any` when no record has all of them. */
  readonly match: 'all' | 'any' | undefined
  readonly pages: RowPages<RecordRow>
}

export interface RecordCount {
  /** Records that the filters leave, search aside. */
  readonly total: number
  readonly failed: number
  readonly by: 'hour' | 'day'
  readonly buckets: readonly Bucket[]
}

export const list = signal<RecordList | undefined>(undefined)
/** Undefined before the count, and where counting is impossible. */
export const count = signal<RecordCount | undefined>(undefined)
export const isLoading = signal(false)
export const listFailure = signal<unknown>(undefined)
/** New records since the list was made. */
export const fresh = signal(0)
/** A request to scroll the list once, to a row or to the top. */
export const scrollRequest = signal<
  { readonly index: number; readonly align: 'auto' | 'start' | 'center' } | undefined
>(undefined)

export const isNarrowed = computed(() => address.value.search.trim() !== '' || address.value.chips.length > 0)

/** The view, search and filters of the list. A view without a list keeps those of the list before. */
let place = { view: '', search: '', chips: address.peek().chips }
const listKey = computed(() => {
  const { view, search, chips } = address.value
  if (listedKind.value) place = { view, search: search.trim(), chips }
  return JSON.stringify(place)
})

/** The visible rows, as the list reports them. They stay over a reload. */
export const shown = { first: 0, last: 0 }

/** The input that counts the list; undefined where counting is impossible, as with a path into the data. */
export function countAsk() {
  const of = kindOfView(place.view)
  if (!of) return undefined
  const { path, value: _value, orderBy: _order, ...include } = optionsOf(place.chips, of.fields)
  const filters = filtersOf(place.chips, of.fields)
  return path === undefined ? { kind: of.name, ...(filters ? { filters } : {}), ...include } : undefined
}

const hourSpanDays = 3
/** Pages of a list before a scroll. A search has one, because each further page costs a ranking. */
const pagesAtOnce = 5
let turn = 0

interface Reload {
  /** Keeps the scroll position. */
  readonly keepPlace?: boolean
  /** Keeps the count: only the search changed, and nothing is new. */
  readonly keepCount?: boolean
}

let isRemaking = false
/** The list to make after the current one. */
let missed: Required<Pick<Reload, 'keepCount'>> | undefined

/** Makes the list again. */
export async function reloadList({ keepPlace = false, keepCount = false }: Reload = {}): Promise<void> {
  const current = book.peek()
  const of = kindOfView(place.view)
  if (!current || !of) return
  const mine = ++turn
  // A longer search is next: the result of the shorter one would only flash.
  const isOld = () => mine !== turn || book.peek() !== current || missed !== undefined
  isLoading.value = true
  try {
    const before = keepCount ? count.peek() : undefined
    // Count before reading rows, so that a record in between counts as new. Await the count: the status also measures the
    // storage, and a query that begins after it may be answered first.
    const total = keepCount ? before?.total : await countTotal(current, of)
    const next = await makeList(current, of)
    if (keepPlace && shown.last > 0)
      await Promise.all([next.pages.ready(shown.first), next.pages.ready(shown.last)])
    if (isOld()) return next.pages.stop()
    const replaced = list.peek()
    list.value = next
    replaced?.pages.stop()
    listFailure.value = undefined
    fresh.value = 0
    if (!keepPlace && replaced) scrollRequest.value = { index: 0, align: 'start' }
    if (next.search === '' && total !== undefined) next.pages.setCount(total)
    // Rows first, for a reader who scrolls at once: counting by time takes as long as many pages.
    if (!before) await next.pages.rest()
    const counted = before ?? (await countRecords(current, total))
    if (isOld()) return
    count.value = counted
  } catch (error) {
    if (!isOld()) listFailure.value = error
  } finally {
    if (mine === turn) isLoading.value = false
  }
}

async function makeList(from: Daybook, of: RecordKind): Promise<RecordList> {
  const { search: text, chips } = place
  const filters = filtersOf(chips, of.fields)
  const signal = new AbortController().signal
  const made = { kind: of, key: listKey.peek(), search: text }
  if (text === '') {
    const load = queryPages(from, of, { filters, options: optionsOf(chips, of.fields) })
    const first = await load(0, signal)
    return { ...made, match: undefined, pages: new RowPages(load, { first, ahead: pagesAtOnce }) }
  }
  for (const match of ['all', 'any'] as const) {
    const load = searchPages(from, of, { text, match, filters })
    const first = await load(0, signal)
    if (first.rows.length > 0 || match === 'any') {
      return { ...made, match, pages: new RowPages(load, { first }) }
    }
  }
  throw new Error('unreachable')
}

/** The number of records in the list. Without filters the status has it, which costs no index. */
export async function countTotal(from: Daybook, { name, hides }: RecordKind): Promise<number | undefined> {
  const ask = countAsk()
  if (ask && !ask.filters && !hides) return (await from.status()).records[name] ?? 0
  return ask && (await from.records.count({ ...ask, by: 'none' })).total
}

/** The records by time. The more records, the slower it is; `before` is an earlier count. */
async function countRecords(from: Daybook, before: number | undefined): Promise<RecordCount | undefined> {
  const ask = countAsk()
  if (!ask) return undefined
  const counted = await from.records.count({ ...ask, by: 'day' })
  const { buckets } = counted
  const total = before ?? counted.total
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0)
  const first = buckets[0]
  const last = buckets.at(-1)
  if (!first || !last || Date.parse(last.at) - Date.parse(first.at) > hourSpanDays * 86_400_000) {
    return { total, failed, by: 'day', buckets }
  }
  const hours = await from.records.count({ ...ask, by: 'hour' })
  return { total, failed, by: 'hour', buckets: hours.buckets }
}

/** The index of a record in the list, to scroll to it; undefined in a search. */
export async function findInList(id: string, at: string): Promise<number | undefined> {
  const from = book.peek()
  const now = list.peek()
  if (!from || !now) return undefined
  const isIt = (row: RecordRow) => row.id === id
  const held = now.pages.indexOf(isIt)
  const ask = countAsk()
  const { timePath } = now.kind
  if (held !== undefined || now.search !== '' || !ask || timePath === undefined) return held
  // In another order the index is known for loaded rows only.
  if (optionsOf(place.chips, now.kind.fields).orderBy !== undefined) return undefined
  const newer = { [timePath]: { gt: at } }
  const filters = ask.filters ? { and: [ask.filters, newer] } : newer
  const { total } = await from.records.count({ ...ask, filters, by: 'none' })
  // Records of the same instant are next to it.
  await Promise.all([now.pages.ready(total), now.pages.ready(total + pageRows - 1)])
  return now.pages.indexOf(isIt)
}

/** Makes one list at a time. Text typed during a search waits, and only the last text is searched for. */
async function remakeList(keepCount: boolean): Promise<void> {
  if (isRemaking) {
    missed = { keepCount: keepCount && missed?.keepCount !== false }
    return
  }
  isRemaking = true
  for (let next: typeof missed = { keepCount }; next; next = missed) {
    missed = undefined
    await reloadList(next)
    // The dropped list was not counted.
    if (missed && !next.keepCount) missed = { keepCount: false }
  }
  isRemaking = false
}

let listed: Daybook | undefined
let counted = ''
effect(() => {
  const now = listKey.value
  const current = book.value
  const { view, chips } = place
  const of = JSON.stringify([view, chips])
  const keepCount = current === listed && of === counted && fresh.peek() === 0
  const isElsewhere = list.peek() !== undefined && list.peek()?.kind.view !== view
  counted = of
  if (current !== listed || isElsewhere) {
    listed = current
    turn += 1
    list.peek()?.pages.stop()
    list.value = undefined
    count.value = undefined
    listFailure.value = undefined
    fresh.value = 0
    shown.first = shown.last = 0
  }
  if (current && now !== '') void remakeList(keepCount)
})
