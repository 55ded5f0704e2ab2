// A long list held a window at a time: pages come when they are looked at, and the farthest are let go.
// Invariant: what is on show never moves by itself; a page keeps its place until the whole list is made anew.
import { signal, type ReadonlySignal } from '@preact/signals'

export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly hasMore: boolean
}

export interface RowPages<Row> {
  /** How many rows there are; while that is unknown, how many are known so far. */
  readonly count: ReadonlySignal<number>
  /** False while the count may still grow by scrolling. */
  readonly isCounted: ReadonlySignal<boolean>
  /** Changes whenever rows came or were let go. */
  readonly version: ReadonlySignal<number>
  readonly failure: ReadonlySignal<unknown>
  at(index: number): Row | undefined
  indexOf(isWanted: (row: Row) => boolean): number | undefined
  /** The rows that are held. */
  held(): Row[]
  /** Says which rows are on show; what is missing of them and ahead of the reader is loaded, what is far away is let go. */
  show(first: number, last: number): void
  setCount(count: number): void
  /** Changes rows that are held, each in its place. */
  update(change: (row: Row) => Row): void
  ready(index: number): Promise<void>
  /** Resolves once nothing is being loaded any more. */
  rest(): Promise<void>
  /** The first page as it would be now; what is held stays as it is. */
  peekFirst(): Promise<readonly Row[]>
  stop(): void
}

export const pageRows = 60
const keptPages = 30
const atOnce = 2
/** What a reader who scrolls meets before he has scrolled this often again is loaded beforehand. */
const scrollsAhead = 30
const pagesAhead = 6

export interface RowPagesOptions<Row> {
  readonly first: Page<Row>
  /** How many pages are loaded ahead of a reader who has not scrolled yet. Default none. */
  readonly ahead?: number
}

/** Rows from `load(page)`. */
export function createRowPages<Row>(
  load: (page: number, signal: AbortSignal) => Promise<Page<Row>>,
  { first, ahead: least = 0 }: RowPagesOptions<Row>,
): RowPages<Row> {
  const pages = new Map<number, readonly Row[]>([[0, first.rows]])
  const loading = new Map<number, Promise<void>>()
  const abort = new AbortController()
  const counted = signal(first.hasMore ? first.rows.length + 1 : first.rows.length)
  const isCounted = signal(!first.hasMore)
  const version = signal(0)
  const failure = signal<unknown>(undefined)
  let wanted: number[] = []
  let seen = { first: 0, last: 0 }

  const take = (page: number, { rows, hasMore }: Page<Row>) => {
    pages.set(page, rows)
    if (!isCounted.value) {
      const known = page * pageRows + rows.length
      counted.value = Math.max(counted.value, hasMore ? known + 1 : known)
      if (!hasMore) {
        counted.value = known
        isCounted.value = true
      }
    }
    version.value += 1
  }

  const fetchPage = (page: number): Promise<void> => {
    const known = loading.get(page)
    if (known) return known
    const work = load(page, abort.signal)
      .then((found) => {
        failure.value = undefined
        take(page, found)
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted) failure.value = error
        wanted = []
      })
      .finally(() => {
        loading.delete(page)
        next()
      })
    loading.set(page, work)
    return work
  }

  const next = () => {
    while (!abort.signal.aborted && loading.size < atOnce) {
      const page = wanted.shift()
      if (page === undefined) return
      if (!pages.has(page)) void fetchPage(page)
    }
  }

  const forgetFar = (middle: number) => {
    if (pages.size <= keptPages) return
    const far = [...pages.keys()].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle))
    for (const page of far.slice(0, pages.size - keptPages)) pages.delete(page)
  }

  const show = (firstRow: number, lastRow: number) => {
    const low = Math.floor(firstRow / pageRows)
    const high = Math.floor(lastRow / pageRows)
    const span = Array.from({ length: high - low + 1 }, (_, i) => low + i)
    const scrolled = firstRow - seen.first
    seen = { first: firstRow, last: lastRow }
    const pace = Math.min(pagesAhead, Math.ceil((Math.abs(scrolled) * scrollsAhead) / pageRows))
    const length = Math.max(least, pace)
    const ahead = Array.from({ length }, (_, i) => (scrolled < 0 ? low - 1 - i : high + 1 + i))
    wanted = [...span, ...ahead].filter(
      (page) => page >= 0 && !pages.has(page) && page * pageRows < counted.value,
    )
    forgetFar(Math.round((low + high) / 2))
    next()
  }

  return {
    count: counted,
    isCounted,
    version,
    failure,
    at: (index) => pages.get(Math.floor(index / pageRows))?.[index % pageRows],
    indexOf(isWanted) {
      for (const [page, rows] of pages) {
        const place = rows.findIndex(isWanted)
        if (place >= 0) return page * pageRows + place
      }
      return undefined
    },
    held: () => [...pages.values()].flat(),
    show,
    setCount(total) {
      counted.value = total
      isCounted.value = true
      show(seen.first, seen.last)
    },
    update(change) {
      let isChanged = false
      for (const [page, rows] of pages) {
        const changed = rows.map((row) => change(row))
        if (changed.every((row, i) => row === rows[i])) continue
        pages.set(page, changed)
        isChanged = true
      }
      if (isChanged) version.value += 1
    },
    async ready(index) {
      const page = Math.floor(index / pageRows)
      if (!pages.has(page)) await fetchPage(page)
    },
    async rest() {
      while (loading.size > 0) await Promise.all(loading.values())
    },
    peekFirst: async () => (await load(0, abort.signal)).rows,
    stop() {
      abort.abort()
    },
  }
}
