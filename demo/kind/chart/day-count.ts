// Counts by day: how a book grew, and how often it was asked.
import { type DaySlot, daySlots, slotAt } from './day-slot.ts'

/** How many records of a kind happened on a day that begins at `at`. */
export interface KindDay {
  readonly kind: string
  readonly at: string
  readonly count: number
}

export interface Growth {
  readonly slots: readonly DaySlot[]
  /** Records in the book by the end of each. */
  readonly total: readonly number[]
  /** The kind that most of those of a place are of; undefined where none happened. */
  readonly mostOf: readonly (string | undefined)[]
}

/** `fromMs`: what was before counts, and is not shown. */
export function growthOf(days: readonly KindDay[], fromMs = -Infinity): Growth {
  const times = days.map(({ at }) => Date.parse(at))
  const shown = times.filter((ms) => ms >= fromMs).toSorted((a, b) => a - b)
  const [first] = shown
  const last = shown.at(-1)
  if (first === undefined || last === undefined) return { slots: [], total: [], mostOf: [] }
  const slots = daySlots(first, last)
  const added = slots.map(() => new Map<string, number>())
  let before = 0
  for (const [i, { kind, count }] of days.entries()) {
    const place = added[slotAt(slots, times[i] as number)]
    if (place) place.set(kind, (place.get(kind) ?? 0) + count)
    else before += count
  }
  let sum = before
  const total = added.map((kinds) => (sum += [...kinds.values()].reduce((all, one) => all + one, 0)))
  const mostOf = added.map((kinds) => [...kinds].toSorted(([, a], [, b]) => b - a)[0]?.[0])
  return { slots, total, mostOf }
}

export interface DayCount {
  readonly slots: readonly DaySlot[]
  readonly count: readonly number[]
}

/** How many of these instants lie on each day from one to another. */
export function countByDay(times: readonly number[], fromMs: number, toMs: number): DayCount {
  const slots = daySlots(fromMs, toMs)
  const count = slots.map(() => 0)
  for (const ms of times) {
    const at = slotAt(slots, ms)
    if (at >= 0) count[at] = (count[at] ?? 0) + 1
  }
  return { slots, count }
}
