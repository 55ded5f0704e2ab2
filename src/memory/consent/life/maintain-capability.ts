// Daily upkeep of memories on the owner's devices: promotes episodes that are used and repeated often, flags
// unconfirmed memories, archives expired ones.
// Invariant: the upkeep may run twice, and on two devices at once. It neither flags nor archives a memory that is
// pinned, marked `keep`, or written by the user.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { TaskContext } from '../../../core/capability/context.ts'
import { currentConfidence, isDoubtful, isLasting, isExpired } from '../memory/confidence.ts'
import type { Memory } from '../memory/memory-schema.ts'
import { isReadable, type Use } from '../memory/read-memory.ts'
import { asMemory, bodyOfMemory, putMemory } from '../memory/stored-memory.ts'
import { reclassify } from './life-capability.ts'
import { alike, likeness, wordsOf } from './find-similar.ts'

type At = TaskContext<'records'>

/**
 * An episode becomes a fact above this confidence and use count, with at least `similar` similar episodes. Each
 * device counts its own uses.
 */
export const promotion = { confidence: 0.9, useCount: 10, similar: 3 } as const

type Step = 'promoted' | 'flagged' | 'archived'
const pageSize = 500
const writeSize = 100

/** Returns the step that is due for a memory now; undefined without one. */
function dueFor(memory: Memory, use: Use | undefined, now: string, similar: () => number): Step | undefined {
  const confidence = currentConfidence(memory, use, now)
  if (!isLasting(memory)) {
    if (isExpired(confidence, memory)) return 'archived'
    if (isDoubtful(confidence, memory)) return memory.flagged ? undefined : 'flagged'
  }
  const isPromoted =
    memory.memory_type === 'episodic' &&
    confidence > promotion.confidence &&
    (use?.count ?? 0) > promotion.useCount &&
    similar() >= promotion.similar
  return isPromoted ? 'promoted' : undefined
}

function* approved(at: At): Generator<Memory> {
  for (let cursor: string | undefined; ;) {
    const page = at.records.query({
      kind: 'memory',
      filters: { status: 'approved' },
      orderBy: 'created_at',
      limit: pageSize,
      cursor,
    })
    for (const one of page.records) if (isReadable(one)) yield one as unknown as Memory
    cursor = page.cursor
    if (cursor === undefined) return
  }
}

/** Number of other episodes with nearly the same content as `memory`. */
function countSimilar(memory: Memory, episodes: ReadonlyMap<string, ReadonlySet<string>>): number {
  const words = wordsOf(memory.content)
  let count = 0
  for (const [id, other] of episodes)
    if (id !== memory.id && alike(words, other) >= likeness.words) count += 1
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
      const all = [...approved(at)]
      let episodes: Map<string, ReadonlySet<string>> | undefined
      const similarTo = (memory: Memory) => {
        episodes ??= new Map(
          all.flatMap((one) =>
            one.memory_type === 'episodic' ? [[one.id, wordsOf(one.content)] as const] : [],
          ),
        )
        return countSimilar(memory, episodes)
      }
      const dueOf = (memory: Memory) => dueFor(memory, uses.get(memory.id), now, () => similarTo(memory))
      const due = all.flatMap((memory) => {
        const step = dueOf(memory)
        return step ? [{ id: memory.id, step }] : []
      })
      const done: Record<Step, number> = { promoted: 0, flagged: 0, archived: 0 }
      for (let from = 0; from < due.length; from += writeSize) {
        const part = due.slice(from, from + writeSize)
        const written = await at.records.write((write) =>
          part.flatMap(({ id, step }) => {
            const memory = asMemory(write.records.get(id))
            // Another caller may have changed the memory since `due` was computed.
            if (!memory || memory.status !== 'approved' || dueOf(memory) !== step) return []
            takeStep(memory, step, write)
            return [step]
          }),
        )
        for (const step of written) done[step] += 1
        at.call.progress({
          done: Math.min(from + writeSize, due.length),
          total: due.length,
          subject: 'memories',
        })
      }
      return done
    },
  }),
] as const

type Write = Parameters<Parameters<At['records']['write']>[0]>[0]

function takeStep(memory: Memory, step: Step, at: Write): void {
  const { now } = at.call
  if (step === 'promoted') {
    const reason = `Used more than ${promotion.useCount} times on this device, and similar to at least ${promotion.similar} other episodes.`
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
