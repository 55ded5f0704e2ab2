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
export function besideOthers(
  hits: readonly VectorHit[],
  { lowest, places, similarities }: VectorWindow,
): VectorHit[] {
  const place = new Map(places(hits.map(({ seq }) => seq)))
  const found = new Set(hits.map(({ seq }) => seq))
  const around = new Set(
    hits
      .slice(0, broughtBy)
      .flatMap(({ seq }) => [place.get(seq)?.before, place.get(seq)?.after])
      .filter((seq) => seq !== undefined && !found.has(seq)) as number[],
  )
  const brought = around.size > 0 ? similarities([...around]) : []
  if (brought.length > 0) for (const [seq, one] of places(brought.map(({ seq }) => seq))) place.set(seq, one)
  const all = [...hits, ...brought]
  const above = new Map(all.map(({ seq, similarity }) => [seq, similarity - lowest]))
  const lift = (seq: number | undefined) => Math.max(0, (seq === undefined ? undefined : above.get(seq)) ?? 0)
  return all
    .map((hit) => {
      const { before, after } = place.get(hit.seq) ?? {}
      return { hit, sum: hit.similarity + beside.before * lift(before) + beside.after * lift(after) }
    })
    .sort((a, b) => b.sum - a.sum)
    .map(({ hit }) => hit)
}
