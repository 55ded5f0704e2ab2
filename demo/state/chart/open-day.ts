// From a chart to what it is of: the list that has it, narrowed to it.
import type { DaySlot } from '../../kind/chart/day-count.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import { isView } from '../../kind/view.ts'
import { go } from '../address.ts'
import type { FilterChip } from '../filter-chip.ts'
import { spanStart } from './traces.ts'

const rangeOf = ({ fromMs, toMs }: DaySlot) =>
  `${new Date(fromMs).toISOString()}..${new Date(toMs).toISOString()}`

/** The records of a kind from these days; all of a kind that knows no time. */
export function openDay(name: string, slot: DaySlot | undefined): void {
  const kind = kindNamed(name)
  const view = kind?.view ?? 'traces'
  if (!slot || !isView(view)) return
  const chips = kind?.fields['time'] ? [{ field: 'time', value: rangeOf(slot) }] : []
  go({ view, search: '', chips, id: undefined })
}

/** The failed traces of an action, from the time that is shown. */
export function openFailures(action: string): void {
  const start = spanStart(Date.now())
  const chips: FilterChip[] = [
    { field: 'action', value: action },
    { field: 'outcome', value: 'failed' },
  ]
  if (start !== undefined) chips.push({ field: 'time', value: `${start}..` })
  go({ view: 'traces', search: '', chips, id: undefined })
}

/** What was asked on a day. */
export function openRecallsOf(slot: DaySlot | undefined): void {
  if (!slot) return
  const chips = [
    { field: 'sort', value: 'recall' },
    { field: 'time', value: rangeOf(slot) },
  ]
  go({ view: 'activity', search: '', chips, id: undefined })
}
