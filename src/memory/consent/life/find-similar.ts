// Memories that say nearly the same as another: by their words, and by vectors where the book has them.
// Invariant: only what the caller sees is compared, and only what is approved.
import type { ReadContext } from '../../../core/capability/context.ts'
import type { Memory } from '../memory/memory-schema.ts'
import { isTellable, type ToldMemory } from '../memory/memory-shape.ts'
import { tellAll } from '../memory/read-memory.ts'
import { alike, likeness, wordsOf } from './similar.ts'

type At = ReadContext<'records' | 'recall'>

export interface Similar {
  readonly memory: ToldMemory
  /** Of words, 0 to 1, or the cosine of the vectors where that is why it is here. */
  readonly likeness: number
  readonly by: 'words' | 'vectors'
}

interface Found {
  readonly memory: Memory
  readonly likeness: number
  readonly by: Similar['by']
}

/** Candidates are asked of recall, which is quick over any number of them. */
const candidateLimit = 200

/** The memories most like `content`, the most alike first; `own` is not among them. `sealed`: how many could not be compared. */
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
  const found = hits.flatMap(({ record, because }): Found[] => {
    const memory: object = record
    if (record.id === own || !isTellable(memory)) return []
    const shared = alike(words, wordsOf(memory.content))
    if (shared >= likeness.words) return [{ memory, likeness: shared, by: 'words' }]
    const cosine = because.vector?.similarity ?? 0
    return cosine >= likeness.vectors ? [{ memory, likeness: cosine, by: 'vectors' }] : []
  })
  const best = found
    .sort((one, other) => other.likeness - one.likeness || compare(one.memory.id, other.memory.id))
    .slice(0, limit)
  const told = tellAll(
    at,
    best.map(({ memory }) => memory),
  )
  const similar = best.flatMap(({ likeness: measured, by }, i) => {
    const memory = told[i]
    return memory ? [{ memory, likeness: Math.round(measured * 1e4) / 1e4, by }] : []
  })
  return { similar, sealed }
}

const compare = (one: string, other: string) => (one < other ? -1 : 1)
