// Finds memories with nearly the same content: by words of at least four letters or digits (Jaccard index), and by
// vectors if the book has them.
// Invariant: compares only approved memories that the caller may read.
import type { ReadContext } from '../../../core/capability/context.ts'
import type { Memory } from '../memory/memory-schema.ts'
import { fold } from '../../../core/text/fold.ts'
import { hasMemoryFields, toListedMemories, type ListedMemory } from '../memory/read-memory.ts'

/** Least similarity of similar memories: Jaccard index of words, cosine of vectors. */
export const similarityThresholds = { words: 0.5, vectors: 0.8 } as const

const wordPattern = /[\p{L}\p{N}]{4,}/gu

/** The folded words of at least four letters or digits. */
export function longWordsOf(content: string): ReadonlySet<string> {
  return new Set(Array.from(content.matchAll(wordPattern), ([match]) => fold(match)))
}

/** Jaccard index of two word sets, 0 to 1; 0 if either set is empty. */
export function jaccardIndex(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  return shared / (a.size + b.size - shared)
}

type SimilarContext = ReadContext<'records' | 'recall'>

interface Similar {
  readonly memory: ListedMemory
  /** 0 to 1. Jaccard index if `by` is `words`; cosine if `by` is `vectors`. */
  readonly likeness: number
  readonly by: 'words' | 'vectors'
}

interface Match {
  readonly memory: Memory
  readonly likeness: number
  readonly by: Similar['by']
}

/** Most candidates that recall returns for the comparison. */
const maxCandidates = 200

/**
 * Returns at most `limit` memories similar to `content`, the most similar first, without the memory `excludedId`.
 * `sealed`: number of memories that can't be compared, because they are locked.
 */
export async function findSimilar(
  at: SimilarContext,
  {
    content,
    excludedId,
    limit,
  }: { readonly content: string; readonly excludedId?: string; readonly limit: number },
): Promise<{ readonly similar: Similar[]; readonly sealed: number }> {
  // The beginning is enough to find candidates; the comparison below uses all words.
  const text = content.slice(0, 1000)
  const { hits, sealed = 0 } = await at.recall.ask({
    text,
    // The words of a memory are no question.
    want: 'best',
    kinds: ['memory'],
    limit: maxCandidates,
    // Also duplicates, which recall leaves out by default: they are wanted here.
    distinct: false,
  })
  const words = longWordsOf(content)
  // `because`: the reasons of the hit; Because in core/capability/port/recall-port.ts.
  const matches = hits.flatMap(({ record, because }): Match[] => {
    const memory: object = record
    if (record.id === excludedId || !hasMemoryFields(memory)) return []
    const overlap = jaccardIndex(words, longWordsOf(memory.content))
    if (overlap >= similarityThresholds.words) return [{ memory, likeness: overlap, by: 'words' }]
    const cosine = because.vector?.similarity ?? 0
    return cosine >= similarityThresholds.vectors ? [{ memory, likeness: cosine, by: 'vectors' }] : []
  })
  // Ties in the order of ids.
  const mostSimilar = matches
    .sort((a, b) => b.likeness - a.likeness || compare(a.memory.id, b.memory.id))
    .slice(0, limit)
  const listed = toListedMemories(
    at,
    mostSimilar.map(({ memory }) => memory),
  )
  const similar = mostSimilar.flatMap(({ likeness: measured, by }, i) => {
    const memory = listed[i]
    return memory ? [{ memory, likeness: Math.round(measured * 1e4) / 1e4, by }] : []
  })
  return { similar, sealed }
}

const compare = (a: string, b: string) => (a < b ? -1 : 1)
