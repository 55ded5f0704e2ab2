// Values of filter fields that this page has met in records, to be suggested when a filter is made.
import type { RecordRow } from '../../kind/record-kind.ts'
import { onEmptied } from '../held.ts'

const keptValues = 200
const seen = new Map<string, Set<string>>()

const placeOf = (view: string, field: string) => `${view} ${field}`

export function noteSeen(view: string, { seen: met }: RecordRow): void {
  for (const [field, values] of Object.entries(met)) {
    const place = placeOf(view, field)
    const kept = seen.get(place) ?? new Set()
    seen.set(place, kept)
    for (const value of values)
      if (value !== '' && !value.endsWith('…') && kept.size < keptValues) kept.add(value)
  }
}

export function seenValues(view: string, field: string): string[] {
  return [...(seen.get(placeOf(view, field)) ?? [])].sort()
}

/** A value may be of a record that is gone; the list notes its own again. */
export const forgetSeen = (): void => seen.clear()
onEmptied(forgetSeen)
