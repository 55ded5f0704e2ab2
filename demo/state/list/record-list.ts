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
import { createRowPages, pageRows, type RowPages } from './row-page.ts'

export interface RecordList {
  readonly kind: RecordKind
  readonly asked: string
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
/** Undefined until it is counted, and where only listing can count. */
export const count = signal<RecordCount | undefined>(undefined)
export const isLoading = signal(false)
export const listFailure = signal<unknown>(undefined)
/** Records that came since the list was made. */
export const fresh = signal(0)
/** Where the list should be scrolled to, once: a row to reveal, or the top. */
export const scrollRequest = signal<
  { readonly index: number; readonly align: 'auto' | 'start' | 'center' } | undefined
>(undefined)

export const isNarrowed = computed(() => address.value.search.trim() !== '' || address.value.chips.length > 0)

/** What the list is of. In a view that lists nothing it stays as it was, and so does the list. */
let place = { view: '', search: '', chips: address.peek().chips }
const asked = computed(() => {
  const { view, search, chips } = address.value
  if (listedKind.value) place = { view, search: search.trim(), chips }
  return JSON.stringify(place)
})

/** The rows on show, told by the list as it scrolls; kept over a reload. */
export const shown = { first: 0, last: 0 }

/** What a count of the list asks; undefined where only listing can tell, as with a path into the data. */
export function countAsk() {
  const of = kindOfView(place.view)
  if (!of) return undefined
  const { path, value: _value, orderBy: _order, ...include } = optionsOf(place.chips, of.fields)
  const filters = filtersOf(place.chips, of.fields)
  return path === undefined ? { kind: of.name, ...(filters ? { filters } : {}), ...include } : undefined
}

const hourSpanDays = 3
/** Pages that a list has before anyone scrolls. A search has its first: each further one costs it a ranking. */
const pagesAtOnce = 5
let turn = 0

interface Reload {
  /** Leaves the reader where they are. */
  readonly keepPlace?: boolean
  /** Only the search changed, and nothing came in: the count still holds. */
  readonly keepCount?: boolean
}

let isRemaking = false
/** What is to be made once the list that is being made is there. */
let missed: Required<Pick<Reload, 'keepCount'>> | undefined

/** Makes the list anew. */
export async function reloadList({ keepPlace = false, keepCount = false }: Reload = {}): Promise<void> {
  const current = book.peek()
  const of = kindOfView(place.view)
  if (!current || !of) return
  const mine = ++turn
  // What was typed meanwhile is searched for next: the answer to less of it would only flash by.
  const isOld = () => mine !== turn || book.peek() !== current || missed !== undefined
  isLoading.value = true
  // Asked before the rows: what comes in between counts as new, where it would never be told otherwise.
  const countedBefore = keepCount ? undefined : countTotal(current, of)
  countedBefore?.catch(() => undefined)
  try {
    const next = await makeList(current, of)
    if (keepPlace && shown.last > 0)
      await Promise.all([next.pages.ready(shown.first), next.pages.ready(shown.last)])
    if (isOld()) return next.pages.stop()
    const before = list.peek()
    list.value = next
    before?.pages.stop()
    listFailure.value = undefined
    fresh.value = 0
    if (!keepPlace && before) scrollRequest.value = { index: 0, align: 'start' }
    const known = keepCount ? count.peek() : undefined
    const total = known?.total ?? (await countedBefore)
    if (isOld()) return
    if (next.search === '' && total !== undefined) next.pages.setCount(total)
    // Whoever scrolls at once meets rows: counting by time takes as long as many pages.
    if (!known) await next.pages.rest()
    const counted = known ?? (await countRecords(current, total))
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
  const made = { kind: of, asked: asked.peek(), search: text }
  if (text === '') {
    const load = queryPages(from, of, { filters, options: optionsOf(chips, of.fields) })
    const first = await load(0, signal)
    return { ...made, match: undefined, pages: createRowPages(load, { first, ahead: pagesAtOnce }) }
  }
  for (const match of ['all', 'any'] as const) {
    const load = searchPages(from, of, { text, match, filters })
    const first = await load(0, signal)
    if (first.rows.length > 0 || match === 'any') {
      return { ...made, match, pages: createRowPages(load, { first }) }
    }
  }
  throw new Error('unreachable')
}

/** How many records the list would have now. Where none is left out the status knows, which asks nothing of the index. */
export async function countTotal(from: Daybook, { name, hides }: RecordKind): Promise<number | undefined> {
  const ask = countAsk()
  if (ask && !ask.filters && !hides) return (await from.status()).records[name] ?? 0
  return ask && (await from.records.count({ ...ask, by: 'none' })).total
}

/** The records by time, which is the slower the more there are; `known` when they were counted before. */
async function countRecords(from: Daybook, known: number | undefined): Promise<RecordCount | undefined> {
  const ask = countAsk()
  if (!ask) return undefined
  const counted = await from.records.count({ ...ask, by: 'day' })
  const { buckets } = counted
  const total = known ?? counted.total
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0)
  const first = buckets[0]
  const last = buckets.at(-1)
  if (!first || !last || Date.parse(last.at) - Date.parse(first.at) > hourSpanDays * 86_400_000) {
    return { total, failed, by: 'day', buckets }
  }
  const hours = await from.records.count({ ...ask, by: 'hour' })
  return { total, failed, by: 'hour', buckets: hours.buckets }
}

/** Where a record stands in the list as it is now, so that it can be scrolled to; undefined in a search. */
export async function findInList(id: string, at: string): Promise<number | undefined> {
  const from = book.peek()
  const now = list.peek()
  if (!from || !now) return undefined
  const isIt = (row: RecordRow) => row.id === id
  const held = now.pages.indexOf(isIt)
  const ask = countAsk()
  const { timePath } = now.kind
  if (held !== undefined || now.search !== '' || !ask || timePath === undefined) return held
  // In another order only what is held can be told.
  if (optionsOf(place.chips, now.kind.fields).orderBy !== undefined) return undefined
  const newer = { [timePath]: { gt: at } }
  const filters = ask.filters ? { and: [ask.filters, newer] } : newer
  const { total } = await from.records.count({ ...ask, filters, by: 'none' })
  // Records of the same instant stand beside it.
  await Promise.all([now.pages.ready(total), now.pages.ready(total + pageRows - 1)])
  return now.pages.indexOf(isIt)
}

/** Makes one list at a time: what is typed while a search runs waits for it, and only the last of that is searched for. */
async function remakeList(keepCount: boolean): Promise<void> {
  if (isRemaking) {
    missed = { keepCount: keepCount && missed?.keepCount !== false }
    return
  }
  isRemaking = true
  for (let next: typeof missed = { keepCount }; next; next = missed) {
    missed = undefined
    await reloadList(next)
    // What was let go of has not been counted.
    if (missed && !next.keepCount) missed = { keepCount: false }
  }
  isRemaking = false
}

let listed: Daybook | undefined
let counted = ''
effect(() => {
  const now = asked.value
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
