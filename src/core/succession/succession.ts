// Records that stand in each other's place, from the first of a chain to the one that is current.
// Invariant: of several that supersede one record a single one stands, told from their times and ids, so that all copies
// of a book agree; what supersedes one of the others is displaced with it.
import type { ConflictPolicy } from '../kind.ts'

interface Made {
  readonly id: string
  readonly created_at: string
}

/** What of a record tells its place in a chain. */
export interface Heir extends Made {
  /** What it supersedes. */
  readonly target: string | undefined
}

export interface Chain {
  /** The record `id`; undefined when nobody is there whom the caller knows. */
  get(id: string): Heir | undefined
  /** What says that it supersedes `id`. */
  heirs(id: string): readonly Heir[]
  /** False when `id` stands where it is for whoever sees everything: then nobody has to look further up. */
  mayBeDisplaced(id: string): boolean
}

export interface Succession {
  /** The record that is current where `id` stands or stood; `id` itself when nothing stands in its place. */
  readonly current: string
  /** What stands in its place, as the next in the chain. */
  readonly next?: string
  /** It stands in nobody's place, because another one does. */
  readonly isDisplaced: boolean
}

/**
 * The one of `rivals`, which all supersede one record, that stands; undefined when there are none. Where the other side is
 * the authority it is what was made first, for others may have built on it; with any other policy what was made last.
 */
export function standingOf<One extends Made>(
  policy: ConflictPolicy,
  rivals: readonly One[],
): One | undefined {
  const sorted = rivals.toSorted((one, other) => (isBefore(one, other) ? -1 : 1))
  return standsFirst(policy) ? sorted[0] : sorted.at(-1)
}

export function standsFirst(policy: ConflictPolicy): boolean {
  return policy === 'remote_wins'
}

function isBefore(one: Made, other: Made): boolean {
  return one.created_at === other.created_at ? one.id < other.id : one.created_at < other.created_at
}

/** Where `id` stands in `chain`. */
export function successionOf(id: string, policy: ConflictPolicy, chain: Chain): Succession {
  const path = walk(rootOf(id, chain), policy, chain)
  const at = path.indexOf(id)
  const current = path.at(-1) ?? id
  if (at === -1) return { current, isDisplaced: true }
  const next = path[at + 1]
  return { current, isDisplaced: false, ...(next === undefined ? {} : { next }) }
}

/** The first of the chain: only where `id` may be displaced is it another than `id`. */
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
    const next = standingOf(policy, chain.heirs(last))?.id
    if (next === undefined || path.has(next)) return [...path]
    path.add(next)
    last = next
  }
}
