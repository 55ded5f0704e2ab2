// What a change of the book, from any tab or device, does to the list: rows on show are brought up to date in their
// places, what was forgotten goes, what is new is counted and waits.
import { effect } from '@preact/signals'
import { book, onBook } from '../book.ts'
import { readRecord } from '../record/record-read.ts'
import { count, fresh, isLoading, list, countTotal, type RecordList, reloadList } from './record-list.ts'
import { forgetSeen } from './seen-value.ts'

const settleMs = 200
const pauseShare = 10
/** A reader waits no longer, however busy the machine. */
const longestPauseMs = 5000
const refreshedAtOnce = 50

let timer: ReturnType<typeof setTimeout> | undefined
let pauseMs = settleMs
const changed = new Set<string>()
/** Changed while the list was being made anew, which may have read them before. */
const passedBy = new Set<string>()

/** Where nothing counts: how many rows stand before the first one that is known. */
async function countBefore(now: RecordList): Promise<number> {
  if (now.search !== '') return 0
  const known = new Set(now.pages.held().map(({ id }) => id))
  const top = await now.pages.peekFirst()
  const at = top.findIndex(({ id }) => known.has(id))
  return at < 0 ? top.length : at
}

function dropGone(): Promise<void> {
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
  const before = total === undefined ? await countBefore(now) : 0
  // While a lot is written, looking must not be what the book is busy with.
  pauseMs = Math.min(longestPauseMs, Math.max(settleMs, (performance.now() - began) * pauseShare))
  if (list.peek() !== now) return
  const known = counted?.total ?? now.pages.count.peek()
  if (known === 0 && (total ?? before) > 0) return reloadList()
  if (total !== undefined) {
    // What was forgotten must not stay on show.
    if (total < known) return dropGone()
    fresh.value = Math.max(0, total - known)
  } else fresh.value = before
  const held = now.pages.held().filter(({ id }) => ids.has(id))
  if (held.length > refreshedAtOnce) return dropGone()
  for (const { id } of held) {
    const record = await readRecord(from, now.kind, id)
    if (record) now.pages.update((row) => (row.id === id ? now.kind.row(record) : row))
    else return dropGone()
  }
}

function follow(ids: Iterable<string>): void {
  for (const id of ids) changed.add(id)
  timer ??= setTimeout(() => {
    timer = undefined
    // A book that ends meanwhile says so itself.
    takeChange().catch(() => undefined)
  }, pauseMs)
}

/** From now on the list follows the book. Called once: a build drops modules that are only imported. */
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
