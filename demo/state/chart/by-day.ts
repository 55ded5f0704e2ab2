// How the book grew, and how often it was asked, by day.
// Invariant: what another span or another book has overtaken is let go of.
import { effect, signal } from '@preact/signals'
import type { Daybook } from '../../../src/index.ts'
import { countByDay, type DayCount, type Growth, growthOf, type KindDay } from '../../kind/chart/day-count.ts'
import { charted, chartFailure, spanStart } from './traces.ts'

export const growth = signal<Growth | undefined>(undefined)
export const recallsByDay = signal<DayCount | undefined>(undefined)

/** Recalls are kept for so many days. */
const keptDays = 7
const pageSize = 1000

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
      limit: pageSize,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const { at } of page.entries) times.push(Date.parse(at))
    cursor = page.cursor
  } while (cursor !== undefined)
  const today = new Date()
  const first = new Date(today)
  first.setDate(first.getDate() - keptDays)
  return countByDay(times, first.getTime(), today.getTime())
}

let asked = 0
export async function loadDays(): Promise<void> {
  const now = charted.peek()
  if (!now) return
  const mine = ++asked
  try {
    const [grown, recalled] = await Promise.all([readGrowth(now.from), readRecalls(now.from)])
    if (mine !== asked) return
    growth.value = grown
    recallsByDay.value = recalled
  } catch (error) {
    if (mine === asked) chartFailure.value = error
  }
}

effect(() => {
  if (!charted.value) return
  growth.value = undefined
  recallsByDay.value = undefined
  void loadDays()
})
