// The verbs that store thoughts (an experience, knowledge, a decision), mark them, and list collections.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import { DaybookError } from '../../../core/errors.ts'
import { sensitivities } from '../../../core/sealed.ts'
import { collectionPlace, marks } from '../../../shape/record-head.ts'
import { recordId } from '../../../shape/field.ts'
import { personaRefInput } from '../persona/persona-kind.ts'
import { requirePersona, personaFilter } from '../persona/persona.ts'
import { thoughtLimits } from './thought-kind.ts'
import { highImportance, importanceOf, storeThought, assertFits } from './remember.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

/** Not empty. The verb throws `too-large` for a text over its limit. */
const nonEmptyText = z
  .string()
  .refine((text) => text.trim() !== '', 'is empty')
  .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')
const commonInput = { persona: personaRefInput, sensitivity: z.enum(sensitivities).optional() }
const storedOutput = z.object({
  id: z.string(),
  result: z.enum(['stored', 'skipped']),
  /** `duplicate`: the persona stored the same text within five minutes. `id` is that of the earlier thought. */
  reason: z.enum(['duplicate']).optional(),
  importance: z.number(),
})

export const rememberCapabilities = [
  defineCapability({
    id: 'katra:remember',
    permission: 'write',
    methods: ['thoughts.remember'],
    summary: 'Stores an experience; its importance follows from the words of its context.',
    input: z.strictObject({ content: nonEmptyText, context: z.string().default(''), ...commonInput }),
    output: storedOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    run({ content, context, persona, sensitivity }, at) {
      assertFits(content, thoughtLimits.content, 'content')
      assertFits(context, thoughtLimits.context, 'context')
      const importance = importanceOf(context)
      return storeThought(at, requirePersona(at, persona), {
        type: 'experience',
        content,
        context,
        importance,
        sensitivity,
      })
    },
  }),
  defineCapability({
    id: 'katra:learn',
    permission: 'write',
    methods: ['thoughts.learn'],
    summary: 'Stores knowledge, of high importance.',
    input: z.strictObject({ knowledge: nonEmptyText, ...commonInput }),
    output: storedOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    run({ knowledge: content, persona, sensitivity }, at) {
      assertFits(content, thoughtLimits.content, 'knowledge')
      const thought = { type: 'knowledge' as const, content, importance: highImportance, sensitivity }
      return storeThought(at, requirePersona(at, persona), thought)
    },
  }),
  defineCapability({
    id: 'katra:decide',
    permission: 'write',
    methods: ['thoughts.decide'],
    summary: 'Stores a decision with its reasoning, of high importance.',
    input: z.strictObject({ decision: nonEmptyText, reasoning: nonEmptyText, ...commonInput }),
    output: storedOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    run({ decision, reasoning, persona, sensitivity }, at) {
      const content = `Decision: ${decision} (Reasoning: ${reasoning})`
      assertFits(decision, thoughtLimits.content, 'decision')
      assertFits(content, thoughtLimits.content, 'reasoning')
      const thought = { type: 'decision' as const, content, importance: highImportance, sensitivity }
      return storeThought(at, requirePersona(at, persona), thought)
    },
  }),
  defineCapability({
    id: 'katra:update_metadata',
    impact: 'changes',
    permission: 'write',
    methods: ['thoughts.mark'],
    summary:
      'Marks a record of the persona as personal or not to be archived, or sets its collection; null removes the mark.',
    input: z
      .strictObject({
        memoryId: recordId,
        personal: z.boolean().nullable().optional(),
        keep: z.boolean().nullable().optional(),
        collection: collectionPlace.nullable().optional(),
        persona: personaRefInput,
      })
      .refine(
        ({ personal, keep, collection }) =>
          personal !== undefined || keep !== undefined || collection !== undefined,
        { path: ['memoryId'], message: 'Pass personal, keep or collection with it' },
      ),
    /** `marks` and `before`: all marks of the record after and before the change. */
    output: z.object({ memoryId: z.string(), marks: z.object(marks), before: z.object(marks) }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ memoryId, personal, keep, collection, persona: personaRef }, at) {
      const persona = requirePersona(at, personaRef)
      const found = at.records.get(memoryId)
      if (!found || !persona.agents.includes(found.agent)) {
        throw new DaybookError('not-found', `${persona.name} has no record \`${memoryId}\`.`, {
          details: { path: 'memoryId' },
        })
      }
      const { before, now } = await at.records.write(({ records }) => {
        const change = records.mark(memoryId, { personal, keep, collection })
        return { before: { ...change.before }, now: { ...change.now } }
      })
      return { memoryId, marks: now, before }
    },
  }),
  readVerb({
    id: 'katra:collections',
    method: 'thoughts.collections',
    summary:
      'Lists the collections of the persona, with how many records lie in each; those at or below a prefix.',
    input: z.strictObject({ prefix: collectionPlace.optional(), persona: personaRefInput }).prefault({}),
    output: z.object({ collections: z.array(z.object({ name: z.string(), records: z.number() })) }),
    run({ prefix, persona: personaRef }, at) {
      const persona = requirePersona(at, personaRef)
      const path = 'marks.collection'
      // `0` is the character after `/`, so the range has all names that begin with the prefix and a slash.
      const prefixFilter =
        prefix === undefined
          ? { [path]: { exists: true } }
          : { or: [{ [path]: prefix }, { [path]: { gte: `${prefix}/`, lt: `${prefix}0` } }] }
      const countByName = new Map<string, number>()
      for (let cursor: string | undefined; ;) {
        const page = at.records.query({
          filters: { and: [personaFilter(persona), prefixFilter] },
          include: { expired: true, superseded: true },
          limit: 1000,
          cursor,
        })
        for (const { marks: recordMarks } of page.records) {
          const name = recordMarks?.collection
          if (name !== undefined) countByName.set(name, (countByName.get(name) ?? 0) + 1)
        }
        cursor = page.cursor
        if (cursor === undefined) break
      }
      const names = [...countByName].map(([name, records]) => ({ name, records }))
      return { collections: names.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
    },
  }),
] as const
