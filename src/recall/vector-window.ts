// How similar a record is together with those right beside it in its session: what a turn leaves unsaid, the one before it
// often says. Invariant: only what is similar beyond chance lifts what stands beside it.
import type { Place } from '../store/query/evidence.ts'
import type { VectorHit } from '../store/vector/vector-matrix.ts'

export interface VectorWindow {
  /** Similarity from which on a record is more similar than most. */
  readonly lowest: number
  /** Where records stand in their sessions. */
  places(seqs: readonly number[]): ReadonlyMap<number, Place>
  /** How similar records are, however little. */
  similarities(seqs: readonly number[]): readonly VectorHit[]
}

/** How much the similarity of the record before counts, and of the one after: answers follow what they answer. */
const beside = { before: 0.4, after: 0.2 } as const
/** What stands beside so many of the best comes along, however little similar it is. */
const broughtBy = 20

/**
 * The hits and what stands beside the best of them, by own similarity + 0.4 × that of the record before + 0.2 × that of the
 * one after, where those count from `lowest` on. Equals keep their order.
 */
export function besideOthers(hits: readonly VectorHit[], window: VectorWindow): VectorHit[] {
  const placed = new Map(window.places(hits.map(({ seq }) => seq)))
  const brought = broughtAlong(hits, placed, window)
  for (const [seq, place] of brought.length > 0 ? window.places(brought.map(({ seq }) => seq)) : [])
    placed.set(seq, place)
  const all = [...hits, ...brought]
  const similarities = new Map(all.map(({ seq, similarity }) => [seq, similarity]))
  const lift = (seq = -1) => Math.max(0, (similarities.get(seq) ?? window.lowest) - window.lowest)
  const sumOf = ({ seq, similarity }: VectorHit) => {
    const { before, after } = placed.get(seq) ?? {}
    return similarity + beside.before * lift(before) + beside.after * lift(after)
  }
  return all
    .map((hit) => ({ hit, sum: sumOf(hit) }))
    .sort((a, b) => b.sum - a.sum)
    .map(({ hit }) => hit)
}

/** What stands beside the best, and is not among the hits. */
function broughtAlong(
  hits: readonly VectorHit[],
  placed: ReadonlyMap<number, Place>,
  { similarities }: VectorWindow,
): readonly VectorHit[] {
  const found = new Set(hits.map(({ seq }) => seq))
  const around = new Set<number>()
  for (const { seq } of hits.slice(0, broughtBy))
    for (const other of [placed.get(seq)?.before, placed.get(seq)?.after])
      if (other !== undefined && !found.has(other)) around.add(other)
  return around.size > 0 ? similarities([...around]) : []
}
