// Values of the fields of traces that this page has met, to be suggested when a filter is made.
import type { FilterField } from './filter-chip.ts'
import type { TraceRow } from './trace-row.ts'

type SeenField = Extract<FilterField, 'domain' | 'actor' | 'action' | 'session' | 'tag'>

const keptValues = 200
const seen: Readonly<Record<SeenField, Set<string>>> = {
  domain: new Set(),
  actor: new Set(),
  action: new Set(),
  session: new Set(),
  tag: new Set(),
}

export function noteSeen(row: TraceRow): void {
  const note = (field: SeenField, value: string) => {
    if (value !== '' && !value.endsWith('…') && seen[field].size < keptValues) seen[field].add(value)
  }
  note('domain', row.domain)
  note('actor', row.actor)
  note('action', row.action)
  note('session', row.session)
  for (const tag of row.tags) note('tag', tag)
}

export function seenValues(field: FilterField): string[] {
  return field in seen ? [...seen[field as SeenField]].sort() : []
}
