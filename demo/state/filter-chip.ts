// A filter as a chip: a field and its value, also in words. Chips of one field are alternatives; fields narrow together.
import type { Filters } from '../../src/index.ts'
import {
  choiceOf,
  conditionOf,
  type FilterFields,
  isSingle,
  isSound,
  type ListOptions,
  optionsFor,
  timeRange,
} from '../kind/filter-field.ts'
import { shortInstant } from '../wording/time-word.ts'

export interface FilterChip {
  readonly field: string
  readonly value: string
}

const chipsOfField = 20

export function readChips(parameters: URLSearchParams, fields: FilterFields): FilterChip[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    parameters
      .getAll(name)
      .filter((value) => isSound(field, value))
      .slice(0, chipsOfField)
      .map((value) => ({ field: name, value })),
  )
}

export function writeChips(chips: readonly FilterChip[], parameters: URLSearchParams): void {
  for (const { field, value } of chips) parameters.append(field, value)
}

/** Adds a chip. A field with one value, such as a time, replaces the chip before. */
export function withChip(chips: readonly FilterChip[], chip: FilterChip, fields: FilterFields): FilterChip[] {
  const isSame = (one: FilterChip) => one.field === chip.field && one.value === chip.value
  const replaces = isSingle(fields[chip.field])
  return [...chips.filter((one) => !isSame(one) && !(replaces && one.field === chip.field)), chip]
}

/** Turns parts of a search with a field, such as `agent:tutor` or `domain:"home care"`, into chips; the rest stays a search. */
export function chipsIn(
  search: string,
  fields: FilterFields,
): { readonly rest: string; readonly chips: readonly FilterChip[] } {
  const chips: FilterChip[] = []
  const rest = search.replaceAll(
    /(?<!\S)(\p{L}+):(?:"([^"]+)"|(\S+))/gu,
    (part, name: string, quoted, plain) => {
      const value = String(quoted ?? plain)
      const found = Object.keys(fields).find((one) => one.toLowerCase() === name.toLowerCase())
      const field = found === undefined ? undefined : fields[found]
      if (found === undefined || !field || !isSound(field, value)) return part
      chips.push({ field: found, value })
      return ''
    },
  )
  return { rest: chips.length > 0 ? rest.replaceAll(/\s+/g, ' ').trim() : search, chips }
}

/** The filters of the chips; undefined without any. */
export function filtersOf(chips: readonly FilterChip[], fields: FilterFields): Filters | undefined {
  const groups = Object.entries(fields).flatMap(([name, field]): Filters[] => {
    const wanted = chips
      .filter((chip) => chip.field === name)
      .map(({ value }) => conditionOf(field, value))
      .filter((condition) => condition !== undefined)
    const [only] = wanted
    if (only === undefined) return []
    return [wanted.length === 1 ? only : { or: wanted }]
  })
  const [only] = groups
  return groups.length > 1 ? { and: groups } : only
}

/** The query options of the chips. */
export function optionsOf(chips: readonly FilterChip[], fields: FilterFields): ListOptions {
  const options = chips.map(({ field: name, value }) => {
    const field = fields[name]
    return field ? optionsFor(field, value) : {}
  })
  return Object.assign({}, ...options) as ListOptions
}

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
