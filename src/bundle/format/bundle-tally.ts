// What a bundle says about itself, counted as its records go by: statistics and the schemas that they rest on.
import type { Kind } from '../../core/kind.ts'
import { isSealedRecord } from './sealed-record.ts'
import { type Json, type JsonObject, readPath } from '../../core/json/path.ts'

export interface BundleTally {
  /** The bundle has a list of this kind. */
  open(kind: Kind): void
  add(kind: Kind, record: JsonObject): void
  schemasUsed(): Json
  statistics(): Json
  /** Records whose bodies are sealed. */
  sealed(): number
}

export function createBundleTally(): BundleTally {
  const counts = new Map<string, number>()
  const schemas = new Set<string>()
  let earliest: string | null = null
  let latest: string | null = null
  let sealed = 0
  return {
    open: ({ name }) => void counts.set(name, 0),
    add({ name, facets }, record) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      if (isSealedRecord(record)) sealed += 1
      const schema = facets.schema === undefined ? undefined : readPath(record, facets.schema)
      if (typeof schema === 'string') schemas.add(schema)
      const happened = facets.happened_at === undefined ? undefined : readPath(record, facets.happened_at)
      const at = typeof happened === 'string' ? happened : record['created_at']
      if (typeof at !== 'string') return
      if (earliest === null || at < earliest) earliest = at
      if (latest === null || at > latest) latest = at
    },
    schemasUsed: () => [...schemas].sort(),
    sealed: () => sealed,
    statistics: () => ({
      ...Object.fromEntries([...counts].map(([kind, count]) => [`${kind}_count`, count])),
      date_range: { earliest, latest },
      ...(sealed === 0 ? {} : { sealed_count: sealed }),
    }),
  }
}
