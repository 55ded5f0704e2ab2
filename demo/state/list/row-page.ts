// A long list, loaded a page at a time around the reader; pages far away are dropped.
// Invariant: visible rows never move by themselves; a page keeps its place until the whole list is made again.
import { type ReadonlySignal, type Signal, signal } from '@preact/signals'

export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly hasMore: boolean
}

export const pageRows = 60
const mostPages = 30
const atOnce = 2
/** Loads ahead the rows that a reader reaches with this many more scrolls of the same speed. */
const scrollsAhead = 30
const pagesAhead = 6

type LoadPage<Row> = (page: number, signal: AbortSignal) => Promise<Page<Row>>

export interface RowPagesOptions<Row> {
  readonly first: Page<Row>
  /** Pages to load before the reader scrolls. Default none. */
  readonly ahead?: number
}

/** Rows from `load(page)`. */
export class RowPages<Row> {
  readonly #load: LoadPage<Row>
  readonly #ahead: number
  readonly #pages: Map<number, readonly Row[]>
  readonly #loading = new Map<number, Promise<void>>()
  readonly #abort = new AbortController()
  readonly #count: Signal<number>
  readonly #isCounted: Signal<boolean>
  readonly #version = signal(0)
  readonly #failure = signal<unknown>(undefined)
  #wanted: number[] = []
  #visible = { first: 0, last: 0 }

  constructor(load: LoadPage<Row>, { first, ahead = 0 }: RowPagesOptions<Row>) {
    this.#load = load
    this.#ahead = ahead
    this.#pages = new Map([[0, first.rows]])
    this.#count = signal(first.hasMore ? first.rows.length + 1 : first.rows.length)
    this.#isCounted = signal(!first.hasMore)
  }

  /** The number of rows; before they are counted, the number so far. */
  get count(): ReadonlySignal<number> {
    return this.#count
  }

  /** False while scrolling may increase the count. */
  get isCounted(): ReadonlySignal<boolean> {
    return this.#isCounted
  }

  /** Changes with every change of the loaded rows. */
  get version(): ReadonlySignal<number> {
    return this.#version
  }

  get failure(): ReadonlySignal<unknown> {
    return this.#failure
  }

  at(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / pageRows))?.[index % pageRows]
  }

  indexOf(isWanted: (row: Row) => boolean): number | undefined {
    for (const [page, rows] of this.#pages) {
      const place = rows.findIndex(isWanted)
      if (place >= 0) return page * pageRows + place
    }
    return undefined
  }

  /** The loaded rows. */
  loaded(): Row[] {
    return [...this.#pages.values()].flat()
  }

  /** Takes the visible rows. Loads missing ones and some ahead of the reader; drops those far away. */
  show(first: number, last: number): void {
    const low = Math.floor(first / pageRows)
    const high = Math.floor(last / pageRows)
    const span = Array.from({ length: high - low + 1 }, (_, i) => low + i)
    const scrolled = first - this.#visible.first
    this.#visible = { first, last }
    const pace = Math.min(pagesAhead, Math.ceil((Math.abs(scrolled) * scrollsAhead) / pageRows))
    const length = Math.max(this.#ahead, pace)
    const ahead = Array.from({ length }, (_, i) => (scrolled < 0 ? low - 1 - i : high + 1 + i))
    this.#wanted = [...span, ...ahead].filter(
      (page) => page >= 0 && !this.#pages.has(page) && page * pageRows < this.#count.value,
    )
    this.#dropFar(Math.round((low + high) / 2))
    this.#next()
  }

  setCount(total: number): void {
    this.#count.value = total
    this.#isCounted.value = true
    this.show(this.#visible.first, this.#visible.last)
  }

  /** Changes loaded rows, each in its place. */
  update(change: (row: Row) => Row): void {
    let isChanged = false
    for (const [page, rows] of this.#pages) {
      const changed = rows.map((row) => change(row))
      if (changed.every((row, i) => row === rows[i])) continue
      this.#pages.set(page, changed)
      isChanged = true
    }
    if (isChanged) this.#version.value += 1
  }

  async ready(index: number): Promise<void> {
    const page = Math.floor(index / pageRows)
    if (!this.#pages.has(page)) await this.#fetch(page)
  }

  /** Resolves when no page is loading. */
  async rest(): Promise<void> {
    while (this.#loading.size > 0) await Promise.all(this.#loading.values())
  }

  /** The first page as it is now; loaded rows stay unchanged. */
  async peekFirst(): Promise<readonly Row[]> {
    return (await this.#load(0, this.#abort.signal)).rows
  }

  stop(): void {
    this.#abort.abort()
  }

  #take(page: number, { rows, hasMore }: Page<Row>): void {
    this.#pages.set(page, rows)
    if (!this.#isCounted.value) {
      const end = page * pageRows + rows.length
      this.#count.value = hasMore ? Math.max(this.#count.value, end + 1) : end
      if (!hasMore) this.#isCounted.value = true
    }
    this.#version.value += 1
  }

  #fetch(page: number): Promise<void> {
    const running = this.#loading.get(page)
    if (running) return running
    const work = this.#load(page, this.#abort.signal)
      .then((found) => {
        this.#failure.value = undefined
        this.#take(page, found)
      })
      .catch((error: unknown) => {
        if (!this.#abort.signal.aborted) this.#failure.value = error
        this.#wanted = []
      })
      .finally(() => {
        this.#loading.delete(page)
        this.#next()
      })
    this.#loading.set(page, work)
    return work
  }

  #next(): void {
    while (!this.#abort.signal.aborted && this.#loading.size < atOnce) {
      const page = this.#wanted.shift()
      if (page === undefined) return
      if (!this.#pages.has(page)) void this.#fetch(page)
    }
  }

  #dropFar(middle: number): void {
    if (this.#pages.size <= mostPages) return
    const far = [...this.#pages.keys()].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle))
    for (const page of far.slice(0, this.#pages.size - mostPages)) this.#pages.delete(page)
  }
}
