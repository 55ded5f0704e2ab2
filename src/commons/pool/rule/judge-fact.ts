// The verdict on a new version of a fact. Pure.
// Invariant: versions start at 1 and grow by one; a version never changes.

export interface FactStatement {
  readonly version: number
  readonly subject: string
  readonly predicate: string
  readonly object: string
}

export interface FactVerdict {
  readonly result: 'accepted' | 'stale' | 'conflict'
  readonly reason: string
}

/** `current`: the newest version in this book; undefined without one. */
export function judgeFact(current: FactStatement | undefined, incoming: FactStatement): FactVerdict {
  if (incoming.version <= 0) return { result: 'conflict', reason: 'invalid_version' }
  if (!current) {
    return incoming.version === 1
      ? { result: 'accepted', reason: 'new_fact' }
      : { result: 'conflict', reason: 'new_fact_must_start_at_v1' }
  }
  if (incoming.version === current.version + 1) return { result: 'accepted', reason: 'sequential_update' }
  if (incoming.version > current.version)
    return { result: 'conflict', reason: `version_gap_${current.version}_to_${incoming.version}` }
  // An equal or earlier version is compared with the current words, because earlier ones are not passed.
  return sameStatement(current, incoming)
    ? { result: 'stale', reason: 'duplicate_or_stale' }
    : { result: 'conflict', reason: 'version_regression_content_mismatch' }
}

export function sameStatement(
  first: Omit<FactStatement, 'version'>,
  second: Omit<FactStatement, 'version'>,
): boolean {
  return (
    first.subject === second.subject && first.predicate === second.predicate && first.object === second.object
  )
}
