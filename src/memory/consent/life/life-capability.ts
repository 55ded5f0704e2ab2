// The verbs that find similar memories, consolidate several, reclassify one, and classify a text. A change by the
// owner takes effect at once; a change by an agent becomes a proposal. A consolidated memory replaces its sources:
// recall omits them until the consolidated memory is forgotten, but they can still be read.
// Invariant: two devices that consolidate the same memories make one record, because its id derives from their ids.
import { hashId } from '../../../core/text/name-id.ts'
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError, invalidInput } from '../../../core/errors.ts'
import { recordId, sealed, sealedField } from '../../../shape/field.ts'
import { raisedSensitivity, defaultSensitivity } from '../memory/category.ts'
import { classifyWithModel } from '../memory/classify.ts'
import { memoryOutput } from '../memory/memory-query-capability.ts'
import {
  category,
  content,
  maxContentLength,
  maxLabels,
  type Memory,
  type MemoryBody,
  memoryType,
  sensitivity,
} from '../memory/memory-schema.ts'
import { reclassifications } from '../memory/revision.ts'
import { asMemory, bodyOfMemory, requireMemory, putMemory } from '../memory/stored-memory.ts'
import { isLowered, isSealing, type Sensitivity } from '../../../core/sealed.ts'
import { propose } from '../proposal/propose.ts'
import { findSimilar } from './find-similar.ts'
import { assertNotProposed } from '../memory/memory-capability.ts'
import { limit } from '../../../shape/page.ts'
import { stored, storedNow } from '../../../shape/receipt.ts'
import { readVerb } from '../../../shape/record-verbs.ts'
import { createSensitiveTextFinder } from '../../../shape/sensitive-text.ts'

/** Fields of a consolidated memory, without `source` and `metadata`. */
interface Consolidation {
  readonly content: string
  readonly category: string
  readonly memory_type: Memory['memory_type']
  readonly confidence: number
  readonly labels: string[] | undefined
  readonly tags: string[] | undefined
  readonly sensitivity: Sensitivity
}

/**
 * Throws unless there are at least two memories, all approved, of one type and, unless `mayCrossCategories`, of one category.
 * Throws if the content is longer than `maxContentLength`.
 */
function planConsolidation(
  memories: readonly Memory[],
  content: string | undefined,
  mayCrossCategories: boolean,
): Consolidation {
  const [first, ...others] = memories
  if (!first || others.length === 0) throw invalidInput('ids', 'At least two memories are required')
  memories.forEach(({ status }, i) => {
    if (status !== 'approved') throw invalidInput(`ids.${i}`, `It is ${status}, not approved`)
  })
  if (others.some((memory) => memory.memory_type !== first.memory_type))
    throw invalidInput('ids', "Memories of different types can't be consolidated")
  if (!mayCrossCategories && others.some((memory) => memory.category !== first.category)) {
    throw new DaybookError('forbidden', 'Only the owner may consolidate memories of several categories.', {
      details: { path: 'ids' },
    })
  }
  const text = content ?? joinContents(memories)
  if (Array.from(text).length > maxContentLength)
    throw invalidInput('content', `The result is longer than ${maxContentLength} characters: shorten it`)
  const union = (lists: readonly (readonly string[] | undefined)[]) => {
    const unique = [...new Set(lists.flatMap((list) => list ?? []))].slice(0, maxLabels)
    return unique.length > 0 ? unique : undefined
  }
  return {
    content: text,
    category: commonCategory(memories),
    memory_type: first.memory_type,
    // A consolidated memory is at most as certain as its least certain source.
    confidence: Math.min(...memories.map(({ confidence }) => confidence)),
    labels: union(memories.map(({ labels }) => labels)),
    tags: union(memories.map(({ tags }) => tags)),
    // `isLowered(a, b)`: `a` is less sensitive than `b`.
    sensitivity: memories
      .map(({ sensitivity = 'standard' }) => sensitivity)
      .reduce((highest, candidate) => (isLowered(highest, candidate) ? candidate : highest)),
  }
}

/** Joins all contents, each once, in the order of ids, so that every device makes the same text. */
function joinContents(memories: readonly Memory[]): string {
  const sorted = memories.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return [...new Set(sorted.map(({ content }) => content.trim()))].join('\n')
}

/** The common prefix of all categories; without one, the category of the memory with the lowest id. */
function commonCategory(memories: readonly Memory[]): string {
  const [first = '', ...others] = memories
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ category }) => category)
  const segments = first.split('.')
  for (let length = segments.length; length > 0; length--) {
    const stem = segments.slice(0, length).join('.')
    if (others.every((other) => other === stem || other.startsWith(`${stem}.`))) return stem
  }
  return first
}

/** Id of the memory that consolidates `ids`: the same on every device. */
function consolidatedId(ids: readonly string[]): string {
  return hashId('memory', 'consolidated', ...ids.toSorted())
}

/** Body of a memory that the owner consolidates from `ids`. */
function consolidatedBody(consolidation: Consolidation, ids: readonly string[], now: string): MemoryBody {
  const { sensitivity: _sensitivity, ...fields } = consolidation
  const sorted = ids.toSorted()
  return {
    ...fields,
    status: 'approved',
    source: { type: 'system_derived', timestamp: now },
    metadata: {
      approvedAt: now,
      initialConfidence: consolidation.confidence,
      consolidatedFrom: sorted,
      mergedFrom: sorted,
    },
    supersedes: sorted,
  }
}

type LifeContext = WriteContext<'records' | 'own'>

/** Output of `consolidate` and `reclassify`. */
const changeOutput = z.object({
  /** Id of the memory; for an agent, of its proposal. */
  id: z.string(),
  /**
   * `unchanged`: the memory is so already. For an agent: `proposed`; or `duplicate`, if its same proposal is already
   * pending.
   */
  result: z.enum(['done', 'unchanged', 'proposed', 'duplicate']),
  ...stored,
})

/** Proposes an agent's change instead of making it. */
function proposeInstead(
  at: LifeContext,
  body: Pick<MemoryBody, 'content' | 'category' | 'memory_type' | 'confidence'>,
  { supersedes, reason }: { readonly supersedes: readonly string[]; readonly reason?: string | undefined },
) {
  const { content: text, category: categoryName, memory_type, confidence } = body
  const context = defined({ context: reason })
  const memory = { content: text, category: categoryName, memory_type, confidence }
  const input = { ...context, supersedes: [...supersedes] }
  // No path: without a named proposer, the proposal is always in the caller's name.
  const { id, result } = propose(input, { memory, proposer: {}, proposerPath: '' }, at)
  return { id, result, ...storedNow(at.call) }
}

/**
 * False for an agent that calls in the owner's name, too: it may not decide about its own proposals, so it must
 * propose.
 */
const actsAsOwner = ({ call: { caller, namesAgent } }: LifeContext) => caller.role === 'owner' && !namesAgent

export const lifeCapabilities = [
  readVerb({
    id: 'a2p:find_similar',
    method: 'memories.similar',
    summary: 'Finds memories similar to a memory or a text: by words, and by vectors if there are any.',
    input: z
      .strictObject({
        id: recordId.optional(),
        content: content.optional(),
        limit: limit(10, 100),
      })
      .refine((input) => (input.id === undefined) !== (input.content === undefined), {
        path: ['id'],
        message: 'Give `id` or `content`, exactly one of them',
      }),
    output: z.object({
      similar: z.array(
        z.object({ memory: memoryOutput, likeness: z.number(), by: z.enum(['words', 'vectors']) }),
      ),
      sealed,
    }),
    uses: ['records', 'recall'],
    async run({ id, content: text = '', limit }, at) {
      const memory = id === undefined ? undefined : requireMemory(at.records, id)
      const { similar, sealed: sealedCount } = await findSimilar(at, {
        content: memory?.content ?? text,
        limit,
        ...(id === undefined ? {} : { excludedId: id }),
      })
      return { similar, ...sealedField(sealedCount) }
    },
  }),
  defineCapability({
    id: 'a2p:consolidate',
    permission: 'propose',
    methods: ['memories.consolidate'],
    summary: 'Makes one memory of several, which leave recall while it exists; for an agent, proposes that.',
    input: z.strictObject({
      ids: z
        .array(recordId)
        .min(2)
        .max(100)
        .refine((ids) => new Set(ids).size === ids.length, 'has a duplicate'),
      /** Content of the new memory. Default: all contents of `ids`, joined. */
      content: content.optional(),
    }),
    output: changeOutput,
    effect: 'write',
    // own: the proposals, to propose and for `assertNotProposed`.
    uses: ['records', 'own'],
    run({ ids, content: text }, at) {
      const memories = ids.map((sourceId, i) => requireMemory(at.records, sourceId, `ids.${i}`))
      const consolidation = planConsolidation(memories, text, actsAsOwner(at))
      if (!actsAsOwner(at)) return proposeInstead(at, consolidation, { supersedes: ids.toSorted() })
      // Throws if this agent proposed the text and no one approved it.
      assertNotProposed(at, text)
      const id = consolidatedId(ids)
      const existing = asMemory(at.records.get(id))
      if (existing?.content === consolidation.content)
        return { id, result: 'unchanged' as const, ...storedNow(at.call) }
      ids.forEach((sourceId, i) => {
        // `current`: the memory at the end of the chain that supersedes this one; itself without a successor.
        const { current } = at.records.succession(sourceId, 'memory')
        if (current === sourceId || current === id) return
        throw new DaybookError('conflict', `\`${sourceId}\` is already part of \`${current}\`.`, {
          details: { path: `ids.${i}`, by: current },
        })
      })
      const body = consolidatedBody(consolidation, ids, at.call.now)
      putMemory(at.records, id, body, { sensitivity: consolidation.sensitivity })
      return { id, result: 'done' as const, ...storedNow(at.call) }
    },
  }),
  defineCapability({
    id: 'a2p:reclassify',
    permission: 'propose',
    methods: ['memories.reclassify'],
    summary: 'Gives a memory another type or category, with the reason; asked by an agent, proposes that.',
    input: z
      .strictObject({
        id: recordId,
        memory_type: memoryType.optional(),
        category: category.optional(),
        reason: z.string().min(1).max(1000),
      })
      .refine((input) => input.memory_type !== undefined || input.category !== undefined, {
        path: ['memory_type'],
        message: 'Give `memory_type` or `category`',
      }),
    output: changeOutput,
    effect: 'write',
    // own: the proposals, to propose.
    uses: ['records', 'own'],
    run({ id, memory_type, category: newCategory, reason }, at) {
      const memory = requireMemory(at.records, id)
      const next = {
        memory_type: memory_type ?? memory.memory_type,
        category: newCategory ?? memory.category,
      }
      if (next.memory_type === memory.memory_type && next.category === memory.category)
        return { id, result: 'unchanged' as const, ...storedNow(at.call) }
      if (!actsAsOwner(at)) return proposeInstead(at, { ...memory, ...next }, { supersedes: [id], reason })
      reclassify(memory, { ...next, reason, by: 'user' }, at)
      return { id, result: 'done' as const, ...storedNow(at.call) }
    },
  }),
  readVerb({
    id: 'a2p:classify',
    method: 'memories.classify',
    summary:
      'Classifies a text by memory type, with the reason: by the book’s language model if it has one, else by stated patterns.',
    input: z.strictObject({
      content,
      /**
       * Category and sensitivity of the text. A text that is sensitive, contains a secret or repeats a sensitive record is not sent to
       * a model that may not read it.
       */
      category: category.optional(),
      sensitivity: sensitivity.optional(),
      /** False: use the patterns only, no model. */
      model: z.boolean().default(true),
    }),
    output: z.object({
      memory_type: memoryType,
      reason: z.string(),
      by: z.enum(['model', 'patterns']),
      /** Reason why the model did not decide; absent if the model decided, or if none was used. */
      degraded: z.string().optional(),
    }),
    // recall: its language model. records: the sensitive ones, whose text it may not read.
    uses: ['recall', 'records'],
    run({ content: text, category: categoryName, sensitivity: level, model }, at) {
      const llm = model ? at.recall.llm : undefined
      const isSensitive =
        isSealing(categoryName === undefined ? level : raisedSensitivity(categoryName, level)) ||
        (llm !== undefined &&
          !llm.takesSensitive &&
          (at.records.masked(text) !== text || createSensitiveTextFinder(at.records, [text])(text)))
      return classifyWithModel(llm, { content: text, isSensitive }, at.call.signal)
    },
  }),
] as const

interface Reclassification {
  readonly memory_type: Memory['memory_type']
  readonly category: string
  readonly reason: string
  readonly by: 'user' | 'automatic'
}

/** Changes the type and category of a memory, and notes the reason. Never lowers its sensitivity. */
export function reclassify(
  memory: Memory,
  { memory_type, category: categoryName, reason, by }: Reclassification,
  at: Pick<WriteContext<'records'>, 'records' | 'call'>,
): void {
  const defaultLevel = defaultSensitivity(categoryName)
  const level = isLowered(memory.sensitivity, defaultLevel) ? defaultLevel : undefined
  const next = { memory_type, category: categoryName }
  const reclassified = reclassifications(memory, next, { at: at.call.now, reason, by })
  const body: MemoryBody = { ...bodyOfMemory(memory), ...next, reclassified }
  putMemory(at.records, memory.id, body, { sensitivity: level, upkeep: by === 'automatic' })
}
