// The list of traces for the search and filters of the address, how many there are, and what came in since.
// Invariant: a change in the book never moves the list; it is counted in `fresh` until the reader asks for it.
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityOutput, Daybook } from '../../src/index.ts'
import { address } from './address.ts'
import { book, onBook } from './book.ts'
import { filtersOf } from './filter-chip.ts'
import { createRowPages, pageRows, type RowPages } from './row-page.ts'
import { type TraceRow, traceRow } from './trace-row.ts'
import { queryPages, searchPages } from './trace-source.ts'

export type Bucket = CapabilityOutput<'kstar:count_traces'>['buckets'][number]

export interface TraceList {
  readonly asked: string
  readonly search: string
  /** How the words of a search were matched; `any` when no trace has all of them. */
  readonly match: 'all' | 'any' | undefined
  readonly pages: RowPages<TraceRow>
}

export interface TraceCount {
  /** Traces that the filters leave, search aside. */
  readonly total: number
  readonly failed: number
  readonly by: 'hour' | 'day'
  readonly buckets: readonly Bucket[]
}

export const list = signal<TraceList | undefined>(undefined)
export const count = signal<TraceCount | undefined>(undefined)
export const isLoading = signal(false)
export const listFailure = signal<unknown>(undefined)
/** Traces that came since the list was made. */
export const fresh = signal(0)
/** Where the list should be scrolled to, once: a row to reveal, or the top. */
export const scrollRequest = signal<
  { readonly index: number; readonly align: 'auto' | 'start' | 'center' } | undefined
>(undefined)

const asked = computed(() => JSON.stringify([address.value.search.trim(), address.value.chips]))
export const isNarrowed = computed(() => address.value.search.trim() !== '' || address.value.chips.length > 0)

/** The rows on show, told by the list as it scrolls; kept over a reload. */
export const shown = { first: 0, last: 0 }

const hourSpanDays = 3
const settleMs = 200
const pauseShare = 10
const refreshedAtOnce = 50
let turn = 0

interface Reload {
  /** Leaves the reader where they are. */
  readonly keepPlace?: boolean
  /** Only the search changed, and nothing came in: the count still holds. */
  readonly keepCount?: boolean
}

/** Makes the list anew. */
export async function reloadList({ keepPlace = false, keepCount = false }: Reload = {}): Promise<void> {
  const current = book.peek()
  if (!current) return
  const mine = ++turn
  const isOld = () => mine !== turn || book.peek() !== current
  isLoading.value = true
  try {
    const next = await makeList(current)
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
    const counted = known ?? (await countTraces(current))
    if (isOld()) return
    count.value = counted
    if (next.search === '') next.pages.setCount(counted.total)
  } catch (error) {
    if (!isOld()) listFailure.value = error
  } finally {
    if (mine === turn) isLoading.value = false
  }
}

async function makeList(from: Daybook): Promise<TraceList> {
  const { chips, search } = address.peek()
  const text = search.trim()
  const filters = filtersOf(chips)
  const signal = new AbortController().signal
  const made = { asked: asked.peek(), search: text }
  if (text === '') {
    const load = queryPages(from, filters)
    const first = await load(0, signal)
    return { ...made, match: undefined, pages: createRowPages(load, { first, count: undefined }) }
  }
  for (const match of ['all', 'any'] as const) {
    const load = searchPages(from, { text, match, filters })
    const first = await load(0, signal)
    if (first.rows.length > 0 || match === 'any') {
      return { ...made, match, pages: createRowPages(load, { first, count: undefined }) }
    }
  }
  throw new Error('unreachable')
}

async function countTraces(from: Daybook): Promise<TraceCount> {
  const filters = filtersOf(address.peek().chips)
  const narrow = filters ? { filters } : {}
  const { total, buckets } = await from.traces.count({ ...narrow, by: 'day' })
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0)
  const [first, last] = [buckets[0], buckets.at(-1)]
  if (!first || !last || Date.parse(last.at) - Date.parse(first.at) > hourSpanDays * 86_400_000) {
    return { total, failed, by: 'day', buckets }
  }
  return { total, failed, by: 'hour', buckets: (await from.traces.count({ ...narrow, by: 'hour' })).buckets }
}

/** Where a trace stands in the list as it is now, so that it can be scrolled to; undefined in a search. */
export async function findInList(id: string, at: string): Promise<number | undefined> {
  const [from, now] = [book.peek(), list.peek()]
  if (!from || !now) return undefined
  const isIt = (row: TraceRow) => row.id === id
  const held = now.pages.indexOf(isIt)
  if (held !== undefined || now.search !== '') return held
  const filters = filtersOf(address.peek().chips)
  const newer = { timestamp: { gt: at } }
  const { total } = await from.traces.count({ filters: filters ? { and: [filters, newer] } : newer })
  // Traces of the same instant stand beside it.
  await Promise.all([now.pages.ready(total), now.pages.ready(total + pageRows - 1)])
  return now.pages.indexOf(isIt)
}

let timer: ReturnType<typeof setTimeout> | undefined
let pauseMs = settleMs
const changed = new Set<string>()

/** How many traces the filters leave. Without filters the status knows, which asks nothing of the index. */
async function countNow(from: Daybook): Promise<number> {
  const filters = filtersOf(address.peek().chips)
  if (!filters) return (await from.status()).records['trace'] ?? 0
  return (await from.traces.count({ filters })).total
}

async function takeChange(): Promise<void> {
  const [from, now, counted] = [book.peek(), list.peek(), count.peek()]
  const ids = new Set(changed)
  changed.clear()
  if (!from || !now || !counted) return
  const began = performance.now()
  const total = await countNow(from)
  // While a lot is written, looking must not be what the book is busy with.
  pauseMs = Math.max(settleMs, (performance.now() - began) * pauseShare)
  if (list.peek() !== now) return
  if (counted.total === 0 && total > 0) return reloadList()
  // What was forgotten must not stay on show.
  if (total < counted.total) return reloadList({ keepPlace: true })
  fresh.value = Math.max(0, total - counted.total)
  const held = now.pages.held().filter(({ id }) => ids.has(id))
  for (const { id } of held.slice(0, refreshedAtOnce)) {
    const trace = await from.traces.get({ id })
    if (trace) now.pages.update((row) => (row.id === id ? traceRow(trace) : row))
  }
}

onBook('change', ({ ids, kinds }) => {
  if (!kinds.includes('trace')) return
  for (const id of ids) changed.add(id)
  timer ??= setTimeout(() => {
    timer = undefined
    // A book that ends meanwhile says so itself.
    takeChange().catch(() => undefined)
  }, pauseMs)
})

let listed: Daybook | undefined
let counted = ''
effect(() => {
  void asked.value
  const current = book.value
  const chips = JSON.stringify(address.peek().chips)
  const keepCount = current === listed && chips === counted && fresh.peek() === 0
  counted = chips
  if (current !== listed) {
    listed = current
    list.value = undefined
    count.value = undefined
    fresh.value = 0
  }
  if (current) void reloadList({ keepCount })
})
