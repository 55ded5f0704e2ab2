// A filter as a chip: a field of the kind and what it should be. Chips of one field are alternatives, fields narrow.
import type { Filters } from '../../src/index.ts'
import {
  conditionOf,
  type FilterFields,
  isSingle,
  isSound,
  type ListOptions,
  optionsFor,
} from '../kind/filter-field.ts'

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

/** Adds a chip; a time or a question replaces the one before it, because two of them say nothing together. */
export function withChip(chips: readonly FilterChip[], chip: FilterChip, fields: FilterFields): FilterChip[] {
  const isSame = (one: FilterChip) => one.field === chip.field && one.value === chip.value
  const replaces = isSingle(fields[chip.field])
  return [...chips.filter((one) => !isSame(one) && !(replaces && one.field === chip.field)), chip]
}

/** Parts of a search that name a field, as in `agent:tutor` or `domain:"home care"`, as chips; the rest stays a search. */
export function chipsIn(
  search: string,
  fields: FilterFields,
): { readonly rest: string; readonly chips: readonly FilterChip[] } {
  const chips: FilterChip[] = []
  const rest = search.replaceAll(
    /(?<!\S)(\p{L}+):(?:"([^"]+)"|(\S+))/gu,
    (part, name: string, quoted, plain) => {
      const value = String(quoted ?? plain)
      const known = Object.keys(fields).find((one) => one.toLowerCase() === name.toLowerCase())
      const field = known === undefined ? undefined : fields[known]
      if (known === undefined || !field || !isSound(field, value)) return part
      chips.push({ field: known, value })
      return ''
    },
  )
  return { rest: chips.length > 0 ? rest.replaceAll(/\s+/g, ' ').trim() : search, chips }
}

/** The filters that the chips stand for; undefined when there is none. */
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

/** What the chips ask for besides filters. */
export function optionsOf(chips: readonly FilterChip[], fields: FilterFields): ListOptions {
  const asked = chips.map(({ field: name, value }) => {
    const field = fields[name]
    return field ? optionsFor(field, value) : {}
  })
  return Object.assign({}, ...asked) as ListOptions
}
