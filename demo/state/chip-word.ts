// A filter chip in words.
import { choiceOf, type FilterFields, timeRange } from '../kind/filter-field.ts'
import type { FilterChip } from './filter-chip.ts'
import { shortInstant } from '../wording/time-word.ts'

export function chipWords(
  { field: of, value }: FilterChip,
  fields: FilterFields,
  nowMs: number,
): { name: string; value: string } {
  const field = fields[of]
  if (!field) return { name: of, value }
  const { name } = field
  if (field.type === 'time') {
    const { from, to } = timeRange(value)
    const say = (instant: string) => shortInstant(Date.parse(instant), nowMs)
    if (from === '') return { name, value: `before ${say(to)}` }
    return { name, value: to === '' ? `since ${say(from)}` : `${say(from)} – ${say(to)}` }
  }
  if (field.type === 'choice') return { name, value: choiceOf(field, value)?.word ?? value }
  return { name, value: value.startsWith('~') ? `contains “${value.slice(1)}”` : value }
}
