// Time as the places of a chart: whole days of the reader, as many in each as are needed to have few enough places.
// Invariant: places follow each other without a gap, also where the clocks change.

export interface DaySlot {
  readonly fromMs: number
  /** Before this instant. */
  readonly toMs: number
}

/** More would stand closer than a pointer can tell apart. */
export const slotLimit = 120

function dayOf(ms: number): Date {
  const day = new Date(ms)
  day.setHours(0, 0, 0, 0)
  return day
}

/** The places from the day of one instant to that of another. */
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

/** Which place an instant belongs to; -1 when it is in none. */
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
