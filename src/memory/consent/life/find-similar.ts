// Finds memories with nearly the same content: by words of at least four letters or digits (Jaccard index), and by
// vectors if the book has them.
// Invariant: compares only approved memories that the caller may read.
import type { ReadContext } from '../../../core/capability/context.ts'
import type { Memory } from '../memory/memory-schema.ts'
import { fold } from '../../../core/text/fold.ts'
import { isReadable, listAll, type ListedMemory } from '../memory/read-memory.ts'

/** Least similarity of similar memories: Jaccard index of words, cosine of vectors. */
export const likeness = { words: 0.5, vectors: 0.8 } as const

const word = /[\p{L}\p{N}]{4,}/gu

export function wordsOf(content: string): ReadonlySet<string> {
  return new Set(Array.from(content.matchAll(word), ([found]) => fold(found)))
}

/** Jaccard index of two word sets, 0 to 1; 0 if either set is empty. */
export function alike(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0
  let common = 0
  for (const each of one) if (other.has(each)) common += 1
  return common / (one.size + other.size - common)
}

type At = ReadContext<'records' | 'recall'>

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
const candidateLimit = 200

/**
 * Returns at most `limit` memories similar to `content`, the most similar first, without the memory `own`.
 * `sealed`: number of memories that can't be compared, because they are locked.
 */
export async function findSimilar(
  at: At,
  { content, own, limit }: { readonly content: string; readonly own?: string; readonly limit: number },
): Promise<{ readonly similar: Similar[]; readonly sealed: number }> {
  const text = content.slice(0, 1000)
  const { hits, sealed = 0 } = await at.recall.ask({
    text,
    kinds: ['memory'],
    limit: candidateLimit,
    distinct: false,
  })
  const words = wordsOf(content)
  const found = hits.flatMap(({ record, because }): Match[] => {
    const memory: object = record
    if (record.id === own || !isReadable(memory)) return []
    const shared = alike(words, wordsOf(memory.content))
    if (shared >= likeness.words) return [{ memory, likeness: shared, by: 'words' }]
    const cosine = because.vector?.similarity ?? 0
    return cosine >= likeness.vectors ? [{ memory, likeness: cosine, by: 'vectors' }] : []
  })
  const best = found
    .sort((one, other) => other.likeness - one.likeness || compare(one.memory.id, other.memory.id))
    .slice(0, limit)
  const listed = listAll(
    at,
    best.map(({ memory }) => memory),
  )
  const similar = best.flatMap(({ likeness: measured, by }, i) => {
    const memory = listed[i]
    return memory ? [{ memory, likeness: Math.round(measured * 1e4) / 1e4, by }] : []
  })
  return { similar, sealed }
}

const compare = (one: string, other: string) => (one < other ? -1 : 1)
