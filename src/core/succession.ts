// Succession: a chain of records in which each record supersedes the one before, up to the current record.
// Invariant: if several records supersede one, exactly one counts. Times and ids select it, so all copies of a book
// agree. The others and their successors are displaced.
import { defined } from './defined.ts'
import type { ConflictPolicy } from './kind.ts'

interface Made {
  readonly id: string
  readonly created_at: string
}

/** A record and its place in a chain. */
export interface Heir extends Made {
  /** Id of the record that it supersedes. Undefined: none. */
  readonly target: string | undefined
}

export interface Chain {
  /** Returns record `id`; undefined if the caller may not see it. */
  get(id: string): Heir | undefined
  /** Returns the records that supersede `id`. */
  heirs(id: string): readonly Heir[]
  /**
   * False if nothing can displace `id`, even for a reader who sees everything. The search for the root ends there.
   */
  mayBeDisplaced(id: string): boolean
}

export interface SuccessionPlace {
  /** Id of the last record of the chain; `id` itself if nothing superseded it. */
  readonly current: string
  /** Id of the record that supersedes this one. Absent for the last record. */
  readonly next?: string
  /** True if another record has the place that this one claims. */
  readonly isDisplaced: boolean
}

/**
 * Selects the record that counts among `rivals`, which supersede the same record; undefined if empty. With policy
 * `remote_wins` the earliest counts, because other records may already build on it; otherwise the latest.
 */
export function currentRival<One extends Made>(
  policy: ConflictPolicy,
  rivals: readonly One[],
): One | undefined {
  const sorted = rivals.toSorted((one, other) => (isBefore(one, other) ? -1 : 1))
  return prefersFirst(policy) ? sorted[0] : sorted.at(-1)
}

export function prefersFirst(policy: ConflictPolicy): boolean {
  return policy === 'remote_wins'
}

function isBefore(one: Made, other: Made): boolean {
  return one.created_at === other.created_at ? one.id < other.id : one.created_at < other.created_at
}

/** Returns the place of `id` in `chain`. */
export function successionOf(id: string, policy: ConflictPolicy, chain: Chain): SuccessionPlace {
  const path = walk(rootOf(id, chain), policy, chain)
  const at = path.indexOf(id)
  const current = path.at(-1) ?? id
  if (at === -1) return { current, isDisplaced: true }
  const next = path[at + 1]
  return { current, isDisplaced: false, ...defined({ next }) }
}

/** Returns the first record of the chain of `id`. A record that can't be displaced counts as the first. */
function rootOf(id: string, chain: Chain): string {
  const seen = new Set([id])
  let root = id
  while (chain.mayBeDisplaced(root)) {
    const target = chain.get(root)?.target
    if (target === undefined || seen.has(target)) break
    seen.add(target)
    root = target
  }
  return root
}

function walk(root: string, policy: ConflictPolicy, chain: Chain): string[] {
  const path = new Set([root])
  for (let last = root; ;) {
    const next = currentRival(policy, chain.heirs(last))?.id
    if (next === undefined || path.has(next)) return [...path]
    path.add(next)
    last = next
  }
}
