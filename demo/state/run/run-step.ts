// The rows of the open run: folded branches, search and filters, the row at the cursor, and the keys.
// Invariant: with a step open, moving the cursor opens the step that it moves to.
import { computed, effect, signal } from '@preact/signals'
import { hasText, type PictureRow } from '../../kind/run/picture.ts'
import { detailHeading, focusDetail, listElement } from '../act/focus.ts'
import { address, chipOf, go } from '../address.ts'
import { closeRun, openSession } from './run-place.ts'
import { picture, transcript } from './transcript.ts'

const folded = signal<ReadonlySet<string>>(new Set())

export const isFolded = (id: string): boolean => folded.value.has(id)

/** The filters of the rows, as the address has them. */
const narrowing = computed(() => ({
  text: address.value.search.trim().toLowerCase(),
  isFailed: chipOf('only') === 'failed',
  tool: chipOf('tool'),
}))

export const isNarrowedRun = computed(() => {
  const { text, isFailed, tool } = narrowing.value
  return text !== '' || isFailed || tool !== undefined
})

/** The visible rows: without those in folded branches, or with filters all that match. */
export const runRows = computed((): readonly PictureRow[] => {
  const rows = picture.value?.rows ?? []
  const { text, isFailed, tool } = narrowing.value
  if (isNarrowedRun.value)
    return rows.filter(
      ({ step }) =>
        (!isFailed || step.isFailed) &&
        (tool === undefined || step.tool === tool) &&
        (text === '' || hasText(step.entry, text)),
    )
  let foldedAt = Infinity
  return rows.filter(({ level, step }) => {
    if (level > foldedAt) return false
    foldedAt = folded.value.has(step.id) ? level : Infinity
    return true
  })
})

const cursorId = signal<string | undefined>(undefined)

export function rowIndex(id: string | undefined): number | undefined {
  const at = id === undefined ? -1 : runRows.value.findIndex(({ step }) => step.id === id)
  return at < 0 ? undefined : at
}

export const runCursor = computed(() => rowIndex(cursorId.value))
export const runScroll = signal<{ readonly index: number; readonly align: 'auto' | 'center' } | undefined>(
  undefined,
)

function moveTo(index: number): void {
  const rows = runRows.peek()
  const at = Math.max(0, Math.min(rows.length - 1, index))
  const row = rows[at]
  if (!row) return
  cursorId.value = row.step.id
  runScroll.value = { index: at, align: 'auto' }
  if (address.peek().id !== undefined) go({ id: row.step.id }, 'replace')
}

export function openStep(index: number): void {
  const row = runRows.peek()[index]
  if (!row) return
  cursorId.value = row.step.id
  go({ id: row.step.id })
}

/** Unfolds a branch, or folds it. */
export function fold(id: string, isOpen: boolean): void {
  const others = [...folded.peek()].filter((one) => one !== id)
  folded.value = new Set(isOpen ? others : [...others, id])
}

/** Folds all branches, or unfolds them. */
export function foldAll(isOpen: boolean): void {
  const branching = (picture.peek()?.rows ?? []).filter(({ beneath }) => beneath > 0)
  folded.value = new Set(isOpen ? [] : branching.map(({ step }) => step.id))
}

/** The next failed step of the visible rows, or the one before; from the last on to the first. */
export function nextError(by: 1 | -1): void {
  const rows = runRows.peek()
  const from = runCursor.peek() ?? (by > 0 ? -1 : 0)
  for (let n = 1; n <= rows.length; n += 1) {
    const at = (((from + by * n) % rows.length) + rows.length) % rows.length
    if (rows[at]?.step.isFailed) return moveTo(at)
  }
}

function foldByKey(isOpen: boolean): void {
  const at = runCursor.peek()
  const row = at === undefined ? undefined : runRows.peek()[at]
  if (!row || at === undefined) return
  const isClosed = folded.peek().has(row.step.id)
  if (row.beneath > 0 && isClosed === isOpen) fold(row.step.id, isOpen)
  else if (isOpen && row.beneath > 0) moveTo(at + 1)
  else if (!isOpen && row.under !== undefined)
    moveTo(
      runRows
        .peek()
        .findLastIndex(({ place, level }, i) => i < at && place === row.under && level < row.level),
    )
}

const page = 10

/** Keys of the rows alone. */
const rowKeys: Readonly<Record<string, (at: number) => void>> = {
  ArrowDown: (at) => moveTo(at + 1),
  ArrowUp: (at) => moveTo(at - 1),
  PageDown: (at) => moveTo(at + page),
  PageUp: (at) => moveTo(at - page),
  Home: () => moveTo(0),
  End: () => moveTo(Infinity),
  ArrowRight: () => foldByKey(true),
  ArrowLeft: () => foldByKey(false),
  Enter: (at) => openAt(at),
  ' ': (at) => openAt(at),
  e: () => nextError(1),
  E: () => nextError(-1),
}

function openAt(at: number): void {
  openStep(Math.max(0, at))
  focusDetail()
}

const isVisible = (element: Element | null) => element?.checkVisibility() === true

/** Closes what is open, the innermost first: the detail, the filters, the run. */
function closeByKey(): void {
  const { id } = address.peek()
  const isInDetail = detailHeading.current?.closest('.detail')?.contains(document.activeElement) === true
  if (isInDetail && isVisible(listElement.current)) listElement.current?.focus()
  else if (id !== undefined) {
    go({ id: undefined })
    requestAnimationFrame(() => listElement.current?.focus())
  } else if (isNarrowedRun.peek()) showAllSteps()
  else closeRun()
}

export function showAllSteps(): void {
  go({ search: '', chips: address.peek().chips.filter(({ field }) => field !== 'only' && field !== 'tool') })
}

/** Keys while a run is open; false for a key without a meaning here. */
export function runByKey(event: KeyboardEvent): boolean {
  if (openSession.peek() === undefined || !transcript.peek()) return false
  const { key, target } = event
  const at = runCursor.peek() ?? -1
  const isFree = target === document.body || target === listElement.current
  if (key === 'Escape') closeByKey()
  else if (key === 'j' || key === 'k') {
    moveTo(key === 'j' ? at + 1 : at - 1)
    if (isVisible(listElement.current)) listElement.current?.focus()
  } else if (isFree && rowKeys[key]) rowKeys[key](at)
  else return false
  return true
}

/** The step to scroll to as soon as it is read. */
const awaited = signal<string | undefined>(undefined)

function showStep(id: string | undefined): void {
  cursorId.value = id
  awaited.value = id
}

effect(() => {
  const index = rowIndex(awaited.value)
  if (index === undefined) return
  awaited.value = undefined
  runScroll.value = { index, align: 'center' }
})

let entered: string | undefined
// A failed run begins at its failing step, another one at its first.
effect(() => {
  const now = transcript.value
  if (now?.session === entered || (now?.hasMore && now.entries.length === 0)) return
  entered = now?.session
  folded.value = new Set()
  const { run, entries } = now ?? {}
  showStep(address.peek().id ?? (run?.outcome === 'failed' ? run.failedStep : entries?.[0]?.id))
})

// The step of the address: from a link, or by going back.
effect(() => {
  const { id } = address.value
  if (id === undefined || openSession.peek() === undefined || id === cursorId.peek()) return
  if (rowIndex(id) === undefined) folded.value = new Set()
  showStep(id)
})
