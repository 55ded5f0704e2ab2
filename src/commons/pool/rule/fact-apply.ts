// What becomes of a version of a fact that arrives. Pure. Invariant: versions begin at 1 and go up by one; what a version says
// is never replaced by anything else of the same number.

/** What of a fact decides. */
export interface FactWord {
  readonly version: number
  readonly subject: string
  readonly predicate: string
  readonly object: string
}

export interface FactVerdict {
  readonly result: 'accepted' | 'stale' | 'conflict'
  readonly reason: string
}

/** `known` is the version that is current here, if there is any. */
export function judgeFact(known: FactWord | undefined, incoming: FactWord): FactVerdict {
  if (incoming.version <= 0) return { result: 'conflict', reason: 'invalid_version' }
  if (!known) {
    return incoming.version === 1
      ? { result: 'accepted', reason: 'new_fact' }
      : { result: 'conflict', reason: 'new_fact_must_start_at_v1' }
  }
  if (incoming.version === known.version + 1) return { result: 'accepted', reason: 'sequential_update' }
  if (incoming.version > known.version)
    return { result: 'conflict', reason: `version_gap_${known.version}_to_${incoming.version}` }
  return saysSame(known, incoming)
    ? { result: 'stale', reason: 'duplicate_or_stale' }
    : { result: 'conflict', reason: 'version_regression_content_mismatch' }
}

export function saysSame(one: Omit<FactWord, 'version'>, other: Omit<FactWord, 'version'>): boolean {
  return one.subject === other.subject && one.predicate === other.predicate && one.object === other.object
}
