// Data of the charts: traces (newest first, a page at a time), growth and recalls by day, and the lists that charts open.
// Invariant: a late answer for another span or another book is dropped.
import { computed, effect, signal } from '@preact/signals'
import type { Daybook, Trace } from '../../src/index.ts'
import { sampleOf, type TraceSample } from '../kind/chart/trace-figure.ts'
import { address, chipOf, go } from './address.ts'
import { book } from './book.ts'
import {
  countByDay,
  type DayCount,
  type DaySlot,
  type Growth,
  growthOf,
  type KindDay,
} from '../kind/chart/day-count.ts'
import { kindNamed } from '../kind/kind-table.ts'
import { isView } from '../kind/view.ts'
import type { FilterChip } from './filter-chip.ts'

interface SampledTraces {
  readonly samples: readonly TraceSample[]
  readonly isReading: boolean
  /** The span has older traces beyond the limit. */
  readonly hasOlder: boolean
}

/** Enough to see what fails and how long it takes, and read within seconds. */
const sampleLimit = 10_000
const pageSize = 500

export const sampled = signal<SampledTraces | undefined>(undefined)
export const chartFailure = signal<unknown>(undefined)

/** The start of the span; undefined for all time. */
function spanStart(nowMs: number): string | undefined {
  const days = Number(chipOf('span'))
  return days > 0 ? new Date(nowMs - days * 86_400_000).toISOString() : undefined
}

async function readTraces(from: Daybook, signal: AbortSignal): Promise<void> {
  const start = spanStart(Date.now())
  const samples: TraceSample[] = []
  let cursor: string | undefined
  do {
    const page = await from.records.query(
      {
        kind: 'trace',
        limit: pageSize,
        ...(start === undefined ? {} : { filters: { timestamp: { gte: start } } }),
        ...(cursor === undefined ? {} : { cursor }),
      },
      { signal },
    )
    if (signal.aborted) return
    samples.push(...page.records.map((record) => sampleOf(record as unknown as Trace)))
    cursor = page.cursor
    const isReading = cursor !== undefined && samples.length < sampleLimit
    sampled.value = { samples: [...samples], isReading, hasOlder: cursor !== undefined }
  } while (cursor !== undefined && samples.length < sampleLimit)
}

/** The book and the span of the charts while they are on show. */
const charted = computed(() => {
  const { view } = address.value
  const current = book.value
  return view === 'charts' && current ? { from: current, span: chipOf('span') } : undefined
})

let stop = new AbortController()

/** Reads the traces again. */
export async function loadTraces(): Promise<void> {
  stop.abort()
  const { signal } = (stop = new AbortController())
  const now = charted.peek()
  if (!now) return
  chartFailure.value = undefined
  try {
    await readTraces(now.from, signal)
  } catch (error) {
    if (!signal.aborted) chartFailure.value = error
  }
}

effect(() => {
  const now = charted.value
  if (!now) return stop.abort()
  sampled.value = undefined
  void loadTraces()
})

export const growth = signal<Growth | undefined>(undefined)
export const recallsByDay = signal<DayCount | undefined>(undefined)

/** The book keeps recalls for this many days. */
const activityDays = 7
const activityPage = 1000

async function readGrowth(from: Daybook): Promise<Growth> {
  const { records } = await from.status()
  const kinds = Object.keys(records).filter((kind) => (records[kind] ?? 0) > 0)
  const days = await Promise.all(
    kinds.map(async (kind): Promise<KindDay[]> => {
      const { buckets } = await from.records.count({ kind, by: 'day', includeSuperseded: true })
      return buckets.map(({ at, count }) => ({ kind, at, count }))
    }),
  )
  const start = spanStart(Date.now())
  return growthOf(days.flat(), start === undefined ? undefined : Date.parse(start))
}

async function readRecalls(from: Daybook): Promise<DayCount> {
  const times: number[] = []
  let cursor: string | undefined
  do {
    const page = await from.activity.list({
      sorts: ['recall', 'context'],
      limit: activityPage,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const { at } of page.entries) times.push(Date.parse(at))
    cursor = page.cursor
  } while (cursor !== undefined)
  const today = new Date()
  const first = new Date(today)
  first.setDate(first.getDate() - activityDays)
  return countByDay(times, first.getTime(), today.getTime())
}

let daysTurn = 0
export async function loadDays(): Promise<void> {
  const now = charted.peek()
  if (!now) return
  const mine = ++daysTurn
  try {
    const [total, recalled] = await Promise.all([readGrowth(now.from), readRecalls(now.from)])
    if (mine !== daysTurn) return
    growth.value = total
    recallsByDay.value = recalled
  } catch (error) {
    if (mine === daysTurn) chartFailure.value = error
  }
}

effect(() => {
  if (!charted.value) return
  growth.value = undefined
  recallsByDay.value = undefined
  void loadDays()
})

const rangeOf = ({ fromMs, toMs }: DaySlot) =>
  `${new Date(fromMs).toISOString()}..${new Date(toMs).toISOString()}`

/** The records of a kind from these days; all of them for a kind without a time. */
export function openDay(name: string, slot: DaySlot | undefined): void {
  const kind = kindNamed(name)
  const view = kind?.view ?? 'traces'
  if (!slot || !isView(view)) return
  const chips = kind?.fields['time'] ? [{ field: 'time', value: rangeOf(slot) }] : []
  go({ view, search: '', chips, id: undefined })
}

/** The failed traces of an action within the span. */
export function openFailures(action: string): void {
  const start = spanStart(Date.now())
  const chips: FilterChip[] = [
    { field: 'action', value: action },
    { field: 'outcome', value: 'failed' },
  ]
  if (start !== undefined) chips.push({ field: 'time', value: `${start}..` })
  go({ view: 'traces', search: '', chips, id: undefined })
}

/** The recalls of a day. */
export function openRecallsOf(slot: DaySlot | undefined): void {
  if (!slot) return
  const chips = [
    { field: 'sort', value: 'recall' },
    { field: 'time', value: rangeOf(slot) },
  ]
  go({ view: 'activity', search: '', chips, id: undefined })
}
