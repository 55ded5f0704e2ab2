// Daily upkeep of memories on the owner's devices: promotes episodes that are used and repeated often (they become
// semantic), flags memories of low confidence for the user, archives those of very low confidence.
// Invariant: the upkeep may run twice, and on two devices at once. It neither flags nor archives a memory that is
// pinned, marked `keep`, or written by the user.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { TaskContext } from '../../../core/capability/context.ts'
import { currentConfidence, needsReview, neverDecays, mayArchive } from '../memory/confidence.ts'
import type { Memory } from '../memory/memory-schema.ts'
import { hasMemoryFields, type MemoryUse } from '../memory/read-memory.ts'
import { asMemory, bodyOfMemory, putMemory } from '../memory/stored-memory.ts'
import { reclassify } from './life-capability.ts'
import { jaccardIndex, longWordsOf, similarityThresholds } from './find-similar.ts'

type MaintainContext = TaskContext<'records'>

/**
 * An episode becomes a fact above this confidence and use count, with at least `similar` other episodes of nearly the
 * same content. Each device counts its own uses.
 */
export const promotionThresholds = { confidence: 0.9, useCount: 10, similar: 3 } as const

type MaintenanceStep = 'promoted' | 'flagged' | 'archived'
/** Memories of one query, and memories changed in one transaction. */
const pageSize = 500
const batchSize = 100

/** Returns the step that is due for a memory now; undefined without one. */
function dueStep(
  memory: Memory,
  use: MemoryUse | undefined,
  now: string,
  // A function, because the count is slow and only promotion needs it.
  countSimilarEpisodes: () => number,
): MaintenanceStep | undefined {
  const confidence = currentConfidence(memory, use, now)
  if (!neverDecays(memory)) {
    if (mayArchive(confidence, memory)) return 'archived'
    if (needsReview(confidence, memory)) return memory.flagged ? undefined : 'flagged'
  }
  const isPromoted =
    memory.memory_type === 'episodic' &&
    confidence > promotionThresholds.confidence &&
    (use?.count ?? 0) > promotionThresholds.useCount &&
    countSimilarEpisodes() >= promotionThresholds.similar
  return isPromoted ? 'promoted' : undefined
}

/** All approved memories that can be read here, oldest first. */
function* readApproved(at: MaintainContext): Generator<Memory> {
  for (let cursor: string | undefined; ;) {
    const page = at.records.query({
      kind: 'memory',
      filters: { status: 'approved' },
      orderBy: 'created_at',
      limit: pageSize,
      cursor,
    })
    for (const record of page.records) if (hasMemoryFields(record)) yield record as unknown as Memory
    cursor = page.cursor
    if (cursor === undefined) return
  }
}

/** Number of other episodes with nearly the same content as `memory`. `episodes`: their long words, by id. */
function countSimilar(memory: Memory, episodes: ReadonlyMap<string, ReadonlySet<string>>): number {
  const words = longWordsOf(memory.content)
  let count = 0
  for (const [id, otherWords] of episodes)
    if (id !== memory.id && jaccardIndex(words, otherWords) >= similarityThresholds.words) count += 1
  return count
}

export const maintainCapabilities = [
  defineCapability({
    id: 'a2p:maintain',
    methods: ['memories.maintain'],
    summary:
      'Maintains memories: promotes episodes of frequent use, flags unconfirmed ones, archives faded ones. Runs daily.',
    input: z.strictObject({}).prefault({}),
    output: z.object({ promoted: z.number(), flagged: z.number(), archived: z.number() }),
    runs: 'device',
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run(_input, at) {
      const { now } = at.call
      const uses = at.records.uses('memory')
      const memories = [...readApproved(at)]
      let episodes: Map<string, ReadonlySet<string>> | undefined
      const countSimilarTo = (memory: Memory) => {
        episodes ??= new Map(
          memories.flatMap((candidate) =>
            candidate.memory_type === 'episodic'
              ? [[candidate.id, longWordsOf(candidate.content)] as const]
              : [],
          ),
        )
        return countSimilar(memory, episodes)
      }
      const dueOf = (memory: Memory) =>
        dueStep(memory, uses.get(memory.id), now, () => countSimilarTo(memory))
      const due = memories.flatMap((memory) => {
        const step = dueOf(memory)
        return step ? [{ id: memory.id, step }] : []
      })
      const counts: Record<MaintenanceStep, number> = { promoted: 0, flagged: 0, archived: 0 }
      for (let start = 0; start < due.length; start += batchSize) {
        const batch = due.slice(start, start + batchSize)
        const written = await at.records.write(
          (write) =>
            batch.flatMap(({ id, step }) => {
              const memory = asMemory(write.records.get(id))
              // Another caller may have changed the memory since `due` was computed.
              if (!memory || memory.status !== 'approved' || dueOf(memory) !== step) return []
              applyStep(memory, step, write)
              return [step]
            }),
          'every-run',
        )
        for (const step of written) counts[step] += 1
        at.call.progress({
          done: Math.min(start + batchSize, due.length),
          total: due.length,
          subject: 'memories',
        })
      }
      return counts
    },
  }),
] as const

type WriteTransaction = Parameters<Parameters<MaintainContext['records']['write']>[0]>[0]

function applyStep(memory: Memory, step: MaintenanceStep, at: WriteTransaction): void {
  const { now } = at.call
  if (step === 'promoted') {
    const reason = `Used more than ${promotionThresholds.useCount} times on this device, and similar to at least ${promotionThresholds.similar} other episodes.`
    return reclassify(
      memory,
      { memory_type: 'semantic', category: memory.category, reason, by: 'automatic' },
      at,
    )
  }
  const body = bodyOfMemory(memory)
  const changed =
    step === 'flagged'
      ? { ...body, flagged: true, flaggedAt: now }
      : {
          ...body,
          status: 'archived' as const,
          faded: true,
          metadata: { ...memory.metadata, archivedAt: now },
        }
  putMemory(at.records, memory.id, changed, { upkeep: true })
}
