// How many records a search finds in all, counted when its reader pauses: the list itself knows only what it has loaded.
import { effect } from '@preact/signals'
import type { Daybook } from '../../../src/index.ts'
import { book } from '../book.ts'
import { filtersOf } from '../filter-chip.ts'
import { address } from '../address.ts'
import { list, type RecordList } from './record-list.ts'
import { searchAsk } from './record-source.ts'

/** Counting a common word takes as long as several searches, which typing must not wait for. */
const pauseMs = 250

async function countFound(from: Daybook, { kind, search, match = 'all', pages }: RecordList): Promise<void> {
  const filters = filtersOf(address.peek().chips, kind.fields)
  const words = searchAsk({ text: search, match })
  const ask = { kind: kind.name, by: 'none' as const, ...words, ...(filters ? { filters } : {}) }
  const { total } = await from.records.count(ask)
  if (list.peek()?.pages === pages) pages.setCount(total)
}

/** From now on each search is counted. Called once, like `followChanges`. */
export function countSearches(): void {
  effect(() => {
    const now = list.value
    const from = book.value
    if (!from || !now || now.search === '' || now.pages.isCounted.value) return undefined
    // A count that fails leaves what the list knows; the list says itself what is wrong with the book.
    const timer = setTimeout(() => void countFound(from, now).catch(() => undefined), pauseMs)
    return () => clearTimeout(timer)
  })
}
