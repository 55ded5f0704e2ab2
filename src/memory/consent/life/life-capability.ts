// The verbs of a memory's later life: what is like it, one made of several, another class for it. The owner does so at once;
// what an agent would have done is a proposal.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import { DaybookError } from '../../../core/errors.ts'
import { recordId } from '../../../shape/record-id.ts'
import { sealed, sealedField } from '../../../shape/sealed-count.ts'
import { raisedSensitivity, usualSensitivity } from '../memory/category.ts'
import { askClass } from '../memory/ask-class.ts'
import { stored, storedNow } from '../memory/memory-capability.ts'
import { toldMemory } from '../memory/memory-query-capability.ts'
import {
  category,
  content,
  type Memory,
  type MemoryBody,
  memoryType,
  sensitivity,
} from '../memory/memory-schema.ts'
import { reclassifications } from '../memory/revision.ts'
import { checkNotProposed } from '../memory/not-proposed.ts'
import { asMemory, bodyOfMemory, needMemory, putMemory } from '../memory/stored-memory.ts'
import { isLowered, isSealing } from '../../../core/sealed.ts'
import { propose } from '../proposal/propose.ts'
import { consolidatedBody, consolidatedId, consolidation } from './consolidate.ts'
import { findSimilar } from './find-similar.ts'

type At = WriteContext<'records' | 'own'>

const lived = z.object({
  /** The memory, or, for an agent, the proposal of it. */
  id: z.string(),
  result: z.enum(['done', 'unchanged', 'proposed', 'duplicate']),
  ...stored,
})

/** What an agent would have in the place of memories. */
function proposeInstead(
  at: At,
  body: Pick<MemoryBody, 'content' | 'category' | 'memory_type' | 'confidence'>,
  { supersedes, reason }: { readonly supersedes: readonly string[]; readonly reason?: string | undefined },
) {
  const { content: text, category: where, memory_type, confidence } = body
  const context = reason === undefined ? {} : { context: reason }
  const memory = { content: text, category: where, memory_type, confidence }
  const input = { ...context, supersedes: [...supersedes] }
  const { id, result } = propose(input, { memory, proposer: {}, proposerPath: 'agent' }, at)
  return { id, result, ...storedNow(at.call) }
}

/** Nobody changes, in the owner's name, what it has proposed itself: it proposes that too, as every agent does. */
const isOwners = ({ call: { caller, namesAgent } }: At) => caller.role === 'owner' && !namesAgent

export const lifeCapabilities = [
  defineCapability({
    id: 'a2p:find_similar',
    permission: 'read',
    methods: ['memories.similar'],
    summary:
      'Finds memories that say nearly the same as a memory or a text: by words, and by vectors where there are any.',
    input: z
      .strictObject({
        id: recordId.optional(),
        content: content.optional(),
        limit: z.number().int().min(1).max(100).default(10),
      })
      .refine((input) => (input.id === undefined) !== (input.content === undefined), {
        path: ['id'],
        message: 'or `content` is wanted, one of the two',
      }),
    output: z.object({
      similar: z.array(
        z.object({ memory: toldMemory, likeness: z.number(), by: z.enum(['words', 'vectors']) }),
      ),
      sealed,
    }),
    effect: 'read',
    uses: ['records', 'recall'],
    async run({ id, content: given = '', limit }, at) {
      const memory = id === undefined ? undefined : needMemory(at.records, id)
      const asked = { content: memory?.content ?? given, limit, ...(id === undefined ? {} : { own: id }) }
      const { similar, sealed: unread } = await findSimilar(at, asked)
      return { similar, ...sealedField(unread) }
    },
  }),
  defineCapability({
    id: 'a2p:consolidate',
    permission: 'propose',
    methods: ['memories.consolidate'],
    summary:
      'Makes one memory of several, which leave recall as long as it stands; asked by an agent, proposes that.',
    input: z.strictObject({
      ids: z
        .array(recordId)
        .min(2)
        .max(100)
        .refine((ids) => new Set(ids).size === ids.length, 'has one twice'),
      /** What it says; default all that they say. */
      content: content.optional(),
    }),
    output: lived,
    effect: 'write',
    uses: ['records', 'own'],
    run({ ids, content: given }, at) {
      const memories = ids.map((one, i) => needMemory(at.records, one, `ids.${i}`))
      const made = consolidation(memories, given, isOwners(at))
      if (!isOwners(at)) return proposeInstead(at, made, { supersedes: ids.toSorted() })
      checkNotProposed(at, given)
      const id = consolidatedId(ids)
      const known = asMemory(at.records.get(id))
      if (known?.content === made.content) return { id, result: 'unchanged' as const, ...storedNow(at.call) }
      ids.forEach((one, i) => {
        const { current } = at.records.succession(one, 'memory')
        if (current === one || current === id) return
        throw new DaybookError('conflict', `\`${one}\` is part of \`${current}\` already.`, {
          details: { path: `ids.${i}`, by: current },
        })
      })
      const body = consolidatedBody(made, ids, at.call.now)
      putMemory(at.records, id, body, { sensitivity: made.sensitivity })
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
        message: 'or `category` is wanted',
      }),
    output: lived,
    effect: 'write',
    uses: ['records', 'own'],
    run({ id, memory_type, category: wanted, reason }, at) {
      const memory = needMemory(at.records, id)
      const next = { memory_type: memory_type ?? memory.memory_type, category: wanted ?? memory.category }
      if (next.memory_type === memory.memory_type && next.category === memory.category)
        return { id, result: 'unchanged' as const, ...storedNow(at.call) }
      if (!isOwners(at)) return proposeInstead(at, { ...memory, ...next }, { supersedes: [id], reason })
      reclassify(memory, { ...next, reason, by: 'user' }, at)
      return { id, result: 'done' as const, ...storedNow(at.call) }
    },
  }),
  defineCapability({
    id: 'a2p:classify',
    permission: 'read',
    methods: ['memories.classify'],
    summary:
      'Says of which type a text would be as a memory, and why: by the book’s language model where it has one, else by stated patterns.',
    input: z.strictObject({
      content,
      /** What it is about and how sensitive it is: a model that may not read what is sensitive is not asked then. */
      category: category.optional(),
      sensitivity: sensitivity.optional(),
      /** `false`: by the patterns, without a model. */
      model: z.boolean().default(true),
    }),
    output: z.object({
      memory_type: memoryType,
      reason: z.string(),
      by: z.enum(['model', 'patterns']),
      /** Why the model did not decide, where there is one. */
      degraded: z.string().optional(),
    }),
    effect: 'read',
    uses: ['recall'],
    run({ content: text, category: where, sensitivity: asked, model }, at) {
      const isSensitive = isSealing(where === undefined ? asked : raisedSensitivity(where, asked))
      return askClass(model ? at.recall.llm : undefined, { content: text, isSensitive }, at.call.signal)
    },
  }),
] as const

export interface Reclassified {
  readonly memory_type: Memory['memory_type']
  readonly category: string
  readonly reason: string
  readonly by: 'user' | 'automatic'
}

/** Puts a memory into another class, and notes why. It is no less guarded for it. */
export function reclassify(
  memory: Memory,
  { memory_type, category: where, reason, by }: Reclassified,
  at: Pick<WriteContext<'records'>, 'records' | 'call'>,
): void {
  const usual = usualSensitivity(where)
  const level = isLowered(memory.sensitivity, usual) ? usual : undefined
  const next = { memory_type, category: where }
  const reclassified = reclassifications(memory, next, { at: at.call.now, reason, by })
  const body: MemoryBody = { ...bodyOfMemory(memory), ...next, reclassified }
  putMemory(at.records, memory.id, body, { sensitivity: level, upkeep: by === 'automatic' })
}
