// The run that the open one is compared with, the pairs of their steps, the row at the cursor, and the keys.
// Invariant: a late answer is dropped; the first difference is at the cursor when both runs are read.
import { computed, effect, signal } from '@preact/signals'
import { alignRuns, mostAligned, nextDifference } from '../../kind/run/align-run.ts'
import { pictureOf } from '../../kind/run/picture.ts'
import { listElement } from '../act/focus.ts'
import { book, onBook } from '../book.ts'
import { held } from '../held.ts'
import { createReader } from '../reading.ts'
import { maskedCopy } from '../record/secret.ts'
import type { Run } from './run-list.ts'
import { comparedSession, compareRun, openRun, openSession } from './run-place.ts'
import { picture, readOther, transcript, type Transcript } from './transcript.ts'

export const otherRun = held<Transcript | undefined>(undefined, ['runs'])
export const otherFailure = signal<unknown>(undefined)
export const otherPicture = computed(() => {
  const now = otherRun.value
  return now && pictureOf(now.session, now.entries)
})

/** Whether all entries that are aligned were read. */
const isRead = ({ run, entries, hasMore }: Transcript) =>
  run !== undefined && (!hasMore || entries.length >= mostAligned)

/** Undefined while one of the two is being read. */
export const pairs = computed(() => {
  const [one, other] = [transcript.value, otherRun.value]
  const [first, second] = [picture.value, otherPicture.value]
  if (!one || !other || !first || !second || comparedSession.value !== other.session) return undefined
  return isRead(one) && isRead(other) ? alignRuns(first, second) : undefined
})

const read = createReader(otherFailure)

export async function loadOther(): Promise<void> {
  const session = comparedSession.peek()
  if (session === undefined) return
  await read(
    (from) => readOther(from, session),
    (found) => {
      if (comparedSession.peek() === session) otherRun.value = found
    },
  )
}

effect(() => {
  const session = comparedSession.value
  if (session === undefined || !book.value) return
  if (otherRun.peek()?.session !== session) otherRun.value = undefined
  void loadOther()
})
onBook('change', () => void loadOther())

export const pairCursor = signal<number | undefined>(undefined)
export const pairScroll = signal<{ readonly index: number; readonly align: 'auto' | 'center' } | undefined>(
  undefined,
)

function moveTo(index: number, align: 'auto' | 'center' = 'auto'): void {
  const count = pairs.peek()?.length ?? 0
  if (count === 0) return
  const at = Math.max(0, Math.min(count - 1, index))
  pairCursor.value = at
  pairScroll.value = { index: at, align }
}

/** The next difference, or the one before. */
export function toDifference(by: 1 | -1): void {
  const all = pairs.peek() ?? []
  const at = nextDifference(all, pairCursor.peek() ?? (by > 0 ? -1 : 0), by)
  if (at !== undefined) moveTo(at)
}

let entered: string | undefined
effect(() => {
  const all = pairs.value
  const name = all && JSON.stringify([openSession.peek(), comparedSession.peek()])
  if (name === entered) return
  entered = name
  pairCursor.value = undefined
  if (!all) return
  const at = nextDifference(all, -1, 1)
  if (at !== undefined) moveTo(at, 'center')
  requestAnimationFrame(() => listElement.current?.focus())
})

/** Opens the step of a row in its run: that of the first one, if both have it. */
export function openPair(index: number): void {
  const pair = pairs.peek()?.[index]
  const [first, second] = [openSession.peek(), comparedSession.peek()]
  if (pair?.first && first !== undefined) openRun(first, pair.first.id)
  else if (pair?.second && second !== undefined) openRun(second, pair.second.id)
}

const page = 10

const moves: Readonly<Record<string, (at: number) => void>> = {
  ArrowDown: (at) => moveTo(at + 1),
  ArrowUp: (at) => moveTo(at - 1),
  j: (at) => moveTo(at + 1),
  k: (at) => moveTo(at - 1),
  PageDown: (at) => moveTo(at + page),
  PageUp: (at) => moveTo(at - page),
  Home: () => moveTo(0),
  End: () => moveTo(Infinity),
  Enter: (at) => openPair(at),
  ' ': (at) => openPair(at),
  n: () => toDifference(1),
  N: () => toDifference(-1),
}

/** Keys of two runs side by side; false for a key without a meaning here. */
export function compareByKey({ key, target }: KeyboardEvent): boolean {
  const isFree = target === document.body || target === listElement.current
  if (key === 'Escape') compareRun(undefined)
  else if (isFree && moves[key]) moves[key](pairCursor.peek() ?? -1)
  else return false
  return true
}

const mostOffered = 200

/** Runs to compare the open one with, those with its name first. */
export async function readCandidates(): Promise<{ readonly total: number; readonly runs: readonly Run[] }> {
  const from = book.peek()
  const mine = transcript.peek()
  if (!from || !mine) return { total: 0, runs: [] }
  const found = await from.runs.list({ limit: mostOffered })
  const others = found.runs.filter(({ session }) => session !== mine.session)
  const isSame = ({ name }: Run) => name === mine.run?.name
  const ordered = [...others.filter(isSame), ...others.filter((one) => !isSame(one))]
  return {
    total: Math.max(0, found.total - 1),
    runs: ordered.length > 0 ? await maskedCopy(from, ordered) : [],
  }
}
