// Changes of the book, from any tab or device, in the list: visible rows update in place, forgotten ones go, new ones are
// counted and wait. And the count of a search, once its reader pauses: the list knows only its loaded rows.
import { effect } from '@preact/signals'
import { book, onBook } from '../book.ts'
import { readRecord } from '../record/record-read.ts'
import { withoutSecrets } from '../record/secret.ts'
import { count, countTotal, fresh, isLoading, list, type RecordList, reloadList } from './record-list.ts'
import { forgetSeen, searchAsk } from './record-source.ts'
import type { Daybook } from '../../../src/index.ts'
import { filtersOf } from '../filter-chip.ts'
import { address } from '../address.ts'

const settleMs = 200
const pauseShare = 10
/** A reader waits no longer than this, however busy the machine. */
const longestPauseMs = 5000
const refreshedAtOnce = 50

let timer: ReturnType<typeof setTimeout> | undefined
let pauseMs = settleMs
const changed = new Set<string>()
/** Records that changed while the list was being made, which may have read them before. */
const passedBy = new Set<string>()

/** Without a count: the number of rows before the first loaded one. */
async function countBefore(now: RecordList): Promise<number> {
  if (now.search !== '') return 0
  const loadedIds = new Set(now.pages.loaded().map(({ id }) => id))
  const top = await now.pages.peekFirst()
  const at = top.findIndex(({ id }) => loadedIds.has(id))
  return at < 0 ? top.length : at
}

function reloadAll(): Promise<void> {
  forgetSeen()
  return reloadList({ keepPlace: true })
}

async function takeChange(): Promise<void> {
  const from = book.peek()
  const now = list.peek()
  const counted = count.peek()
  const ids = new Set(changed)
  changed.clear()
  if (!from || !now) return
  const began = performance.now()
  const total = await countTotal(from, now.kind)
  const newRows = total === undefined ? await countBefore(now) : 0
  // During many writes, these counts must not keep the book busy.
  pauseMs = Math.min(longestPauseMs, Math.max(settleMs, (performance.now() - began) * pauseShare))
  if (list.peek() !== now) return
  const before = counted?.total ?? now.pages.count.peek()
  if (before === 0 && (total ?? newRows) > 0) return reloadList()
  if (total !== undefined) {
    // Forgotten records must not stay visible.
    if (total < before) return reloadAll()
    fresh.value = Math.max(0, total - before)
  } else fresh.value = newRows
  const held = now.pages.loaded().filter(({ id }) => ids.has(id))
  if (held.length > refreshedAtOnce) return reloadAll()
  for (const { id } of held) {
    const record = await readRecord(from, now.kind, id)
    if (!record) return reloadAll()
    const [seen = record] = await withoutSecrets(from, [record])
    now.pages.update((row) => (row.id === id ? now.kind.row(seen) : row))
  }
}

function follow(ids: Iterable<string>): void {
  for (const id of ids) changed.add(id)
  timer ??= setTimeout(() => {
    timer = undefined
    // A closed book says so itself.
    takeChange().catch(() => undefined)
  }, pauseMs)
}

/** Starts to follow the book. A call, because the build drops modules that are only imported. */
export function followChanges(): void {
  onBook('change', ({ ids, kinds }) => {
    const name = list.peek()?.kind.name
    if (name === undefined || !kinds.includes(name)) return
    if (isLoading.peek()) for (const id of ids) passedBy.add(id)
    follow(ids)
  })
  effect(() => {
    if (isLoading.value || passedBy.size === 0) return
    follow(passedBy)
    passedBy.clear()
  })
}

/** Counting a common word takes as long as several searches; typing must not wait for it. */
const typingPauseMs = 250

async function countFound(from: Daybook, { kind, search, match = 'all', pages }: RecordList): Promise<void> {
  const filters = filtersOf(address.peek().chips, kind.fields)
  const words = searchAsk({ text: search, match })
  const ask = { kind: kind.name, by: 'none' as const, ...words, ...(filters ? { filters } : {}) }
  const { total } = await from.records.count(ask)
  if (list.peek()?.pages === pages) pages.setCount(total)
}

/** Starts to count each search. A call, like `followChanges`. */
export function countSearches(): void {
  effect(() => {
    const now = list.value
    const from = book.value
    if (!from || !now || now.search === '' || now.pages.isCounted.value) return undefined
    // After a failed count the list keeps its own; the list shows errors of the book.
    const timer = setTimeout(() => void countFound(from, now).catch(() => undefined), typingPauseMs)
    return () => clearTimeout(timer)
  })
}
