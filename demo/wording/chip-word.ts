// A filter chip in words.
import { fieldNames, type FilterChip, timeRange } from '../state/filter-chip.ts'
import { shortInstant } from './time-word.ts'

export function chipWords({ field, value }: FilterChip, nowMs: number): { name: string; value: string } {
  const name = fieldNames[field]
  if (field === 'time') {
    const { from, to } = timeRange(value)
    const say = (instant: string) => shortInstant(Date.parse(instant), nowMs)
    if (from === '') return { name, value: `before ${say(to)}` }
    return { name, value: to === '' ? `since ${say(from)}` : `${say(from)} – ${say(to)}` }
  }
  if (field === 'outcome') return { name, value: value === 'open' ? 'no result yet' : value }
  return { name, value: value.startsWith('~') ? `contains “${value.slice(1)}”` : value }
}
