// The verbs of marks: say something of a record, take it back, and list what was marked.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { markNames } from '../../core/mark/mark.ts'
import { collectionName, markChanges, markInput, marks } from '../../shape/marks.ts'
import { recordHead } from '../../shape/record-head.ts'
import { recordId } from '../../shape/record-id.ts'

const marked = z.looseObject({ ...recordHead, kind: z.string() })

/** Those in the collection, and in every one below it. */
function inCollection(name: string) {
  const path = 'marks.collection'
  // `0` follows `/`, so this is what begins with the name and a slash.
  return { or: [{ [path]: name }, { [path]: { gte: `${name}/`, lt: `${name}0` } }] }
}

export const markCapabilities = [
  defineCapability({
    id: 'mark:set',
    permission: 'write',
    methods: ['records.mark'],
    summary:
      'Says of a record that it is pinned, how important it is, that it is personal or to be kept, or where it is collected; null takes a mark away.',
    input: z
      .strictObject({ id: recordId, ...markInput })
      .refine((input) => markNames.some((name) => input[name] !== undefined), {
        path: ['id'],
        message: `says nothing: give one of ${markNames.join(', ')}`,
      }),
    output: z.object({
      id: z.string(),
      /** The marks of the record now. */
      marks: z.object(marks),
      /** Called with this, the verb puts back what stood before. */
      undo: z.object({ id: z.string(), ...markChanges }),
      stored_at: z.string(),
      durability: z.enum(['opfs', 'indexeddb', 'memory', 'file', 'durable-object', 'postgres']),
    }),
    effect: 'write',
    uses: ['records'],
    run({ id, ...change }, at) {
      const { before, now } = at.records.mark(id, change)
      const touched = markNames.filter((name) => change[name] !== undefined)
      const undo = Object.fromEntries(touched.map((name) => [name, before[name] ?? null]))
      return {
        id,
        marks: now,
        undo: { id, ...undo },
        stored_at: at.call.now,
        durability: at.call.durability,
      }
    },
  }),
  defineCapability({
    id: 'mark:list',
    permission: 'read',
    methods: ['records.marks'],
    summary:
      'Lists the records that are marked, with their marks: all of them, or those of a collection and below it, pinned, to be kept.',
    input: z
      .strictObject({
        collection: collectionName.optional(),
        pinned: z.boolean().optional(),
        personal: z.boolean().optional(),
        keep: z.boolean().optional(),
        min_importance: z.number().min(0).max(1).optional(),
        kind: z.string().min(1).max(100).optional(),
        limit: z.number().int().min(1).max(1000).default(100),
        cursor: z.string().max(40_000).optional(),
      })
      .prefault({}),
    output: z.object({ records: z.array(marked), cursor: z.string().optional() }),
    effect: 'read',
    uses: ['records'],
    run({ collection, min_importance, kind, limit, cursor, ...flags }, at) {
      const asked = Object.entries(flags).flatMap(([name, value]) =>
        value === undefined ? [] : [{ [`marks.${name}`]: value }],
      )
      const filters = [
        ...asked,
        ...(collection === undefined ? [] : [inCollection(collection)]),
        ...(min_importance === undefined ? [] : [{ 'marks.importance': { gte: min_importance } }]),
      ]
      const any = { or: markNames.map((name) => ({ [`marks.${name}`]: { exists: true } })) }
      const include = { expired: true, superseded: true }
      return at.records.query({
        filters: { and: filters.length > 0 ? filters : [any] },
        include,
        kind,
        limit,
        cursor,
      })
    },
  }),
] as const
