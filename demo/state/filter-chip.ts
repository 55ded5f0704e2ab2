// A filter as a chip: a field and what it should be. Chips of one field are alternatives, fields narrow each other.
import type { Filters } from '../../src/index.ts'

export const filterFields = [
  'domain',
  'actor',
  'action',
  'outcome',
  'mode',
  'tag',
  'session',
  'time',
] as const
export type FilterField = (typeof filterFields)[number]

export interface FilterChip {
  readonly field: FilterField
  /** For texts, `~` before it means "contains". For time, `from..to`, either side may be empty. */
  readonly value: string
}

export const fieldNames: Readonly<Record<FilterField, string>> = {
  domain: 'Domain',
  actor: 'Actor',
  action: 'Action',
  outcome: 'Outcome',
  mode: 'Mode',
  tag: 'Tag',
  session: 'Session',
  time: 'Time',
}

export const outcomes = ['succeeded', 'failed', 'open'] as const
export const modes = ['interactive', 'autonomous', 'background'] as const

const paths = {
  domain: 'situation.domain',
  actor: 'situation.actor',
  action: 'action.type',
  session: 'session',
} as const

export function readChips(parameters: URLSearchParams): FilterChip[] {
  return filterFields.flatMap((field) =>
    parameters
      .getAll(field)
      .filter((value) => isSound(field, value))
      .slice(0, 20)
      .map((value) => ({ field, value })),
  )
}

export function writeChips(chips: readonly FilterChip[], parameters: URLSearchParams): void {
  for (const { field, value } of chips) parameters.append(field, value)
}

/** Adds a chip; time and outcome replace their kind, because two of them say nothing together. */
export function withChip(chips: readonly FilterChip[], chip: FilterChip): FilterChip[] {
  const isSame = (one: FilterChip) => one.field === chip.field && one.value === chip.value
  const replaces = chip.field === 'time'
  return [...chips.filter((one) => !isSame(one) && !(replaces && one.field === chip.field)), chip]
}

/** The filters that the chips stand for; undefined when there is none. */
export function filtersOf(chips: readonly FilterChip[]): Filters | undefined {
  const groups = filterFields.flatMap((field): Filters[] => {
    const wanted = chips.filter((chip) => chip.field === field).map(({ value }) => conditionOf(field, value))
    const [only] = wanted
    if (only === undefined) return []
    return [wanted.length === 1 ? only : { or: wanted }]
  })
  const [only] = groups
  return groups.length > 1 ? { and: groups } : only
}

export function timeRange(value: string): { from: string; to: string } {
  const [from = '', to = ''] = value.split('..')
  return { from, to }
}

function conditionOf(field: FilterField, value: string): Filters {
  switch (field) {
    case 'outcome':
      return value === 'open' ? { result: { exists: false } } : { 'result.success': value === 'succeeded' }
    case 'mode':
      return { 'metadata.mode': value }
    case 'tag':
      return { 'metadata.tags': { contains: value } }
    case 'time': {
      const { from, to } = timeRange(value)
      return { timestamp: { ...(from ? { gte: from } : {}), ...(to ? { lt: to } : {}) } }
    }
    default:
      return { [paths[field]]: value.startsWith('~') ? { contains: value.slice(1) } : value }
  }
}

function isSound(field: FilterField, value: string): boolean {
  if (value === '' || value === '~' || value.length > 1000) return false
  if (field === 'outcome') return outcomes.some((one) => one === value)
  if (field === 'mode') return modes.some((one) => one === value)
  if (field !== 'time') return true
  const { from, to } = timeRange(value)
  const isInstant = (text: string) => text === '' || !Number.isNaN(Date.parse(text))
  return (from !== '' || to !== '') && isInstant(from) && isInstant(to)
}
