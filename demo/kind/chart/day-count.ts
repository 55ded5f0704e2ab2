// Counts by day (growth of a book, number of calls), in slots of whole local days.
// Invariant: slots have no gaps, also where the clocks change.

/** The number of records of a kind on the day that begins at `at`. */
export interface KindDay {
  readonly kind: string
  readonly at: string
  readonly count: number
}

export interface Growth {
  readonly slots: readonly DaySlot[]
  /** Records in the book by the end of each. */
  readonly total: readonly number[]
  /** The most frequent kind of each slot; undefined for an empty slot. */
  readonly mostOf: readonly (string | undefined)[]
}

/** `fromMs`: earlier records count in the total, but have no slot. */
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

/** The number of instants on each day of a range. */
export function countByDay(times: readonly number[], fromMs: number, toMs: number): DayCount {
  const slots = daySlots(fromMs, toMs)
  const count = slots.map(() => 0)
  for (const ms of times) {
    const at = slotAt(slots, ms)
    if (at >= 0) count[at] = (count[at] ?? 0) + 1
  }
  return { slots, count }
}

export interface DaySlot {
  readonly fromMs: number
  /** Before this instant. */
  readonly toMs: number
}

/** More slots would be too narrow for a pointer. */
export const slotLimit = 120

function dayOf(ms: number): Date {
  const day = new Date(ms)
  day.setHours(0, 0, 0, 0)
  return day
}

/** The slots from the day of one instant to that of another. */
export function daySlots(firstMs: number, lastMs: number, limit = slotLimit): DaySlot[] {
  const begin = dayOf(firstMs)
  const dayMs = 86_400_000
  // A day of 23 or 25 hours is one.
  const days = Math.round((dayOf(lastMs).getTime() - begin.getTime()) / dayMs) + 1
  const perSlot = Math.ceil(days / limit)
  const startOf = (slot: number) => {
    const day = new Date(begin)
    day.setDate(day.getDate() + slot * perSlot)
    return day.getTime()
  }
  return Array.from({ length: Math.ceil(days / perSlot) }, (_, i) => ({
    fromMs: startOf(i),
    toMs: startOf(i + 1),
  }))
}

/** The slot of an instant; -1 outside. */
export function slotAt(slots: readonly DaySlot[], ms: number): number {
  let low = 0
  let high = slots.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const slot = slots[middle] as DaySlot
    if (ms < slot.fromMs) high = middle - 1
    else if (ms >= slot.toMs) low = middle + 1
    else return middle
  }
  return -1
}
