// Succession: records that replace each other, from the first of a chain to the current one.
// Invariant: of several records that supersede one, exactly one counts, chosen by times and ids so that all copies of a
// book agree. Successors of the others are displaced too.
import { defined } from './defined.ts'
import type { ConflictPolicy } from './kind.ts'

interface Made {
  readonly id: string
  readonly created_at: string
}

/** A record's place in a chain. */
export interface Heir extends Made {
  /** Id of the record that it supersedes. */
  readonly target: string | undefined
}

export interface Chain {
  /** Returns record `id`; undefined if the caller doesn't see it. */
  get(id: string): Heir | undefined
  /** Records that supersede `id`. */
  heirs(id: string): readonly Heir[]
  /** False if nothing can displace `id`, even for a reader who sees everything: the search upwards ends here. */
  mayBeDisplaced(id: string): boolean
}

export interface SuccessionPlace {
  /** Id of the current record of the chain; `id` itself if nothing replaced it. */
  readonly current: string
  /** Id of the next record in the chain, which replaces this one. */
  readonly next?: string
  /** True if another record took the place that this one claims. */
  readonly isDisplaced: boolean
}

/**
 * Returns the one of `rivals`, which all supersede one record, that counts; undefined without rivals. If the other side
 * is the authority (`remote_wins`), the first one counts, because others may build on it; otherwise the last one.
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

/** First record of the chain of `id`. Only a record that may be displaced can have another one before it. */
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
