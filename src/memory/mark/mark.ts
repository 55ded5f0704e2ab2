// The chapter of marks: set and remove marks of a record, and list marked records. `core/mark.ts` explains each mark.
import { defineChapter } from '../../core/capability/chapter.ts'
import { markKind } from './mark-kind.ts'
import { z } from 'zod'
import { cursor, limit } from '../../shape/page.ts'
import { readVerb, writeVerb } from '../../shape/record-verbs.ts'
import { stored, storedNow } from '../../shape/receipt.ts'
import { collectionName, markChanges, markInput, marks, recordHead } from '../../shape/record-head.ts'
import { recordId } from '../../shape/field.ts'
import { markNames } from '../../core/mark.ts'

const markedRecord = z.looseObject({ ...recordHead, kind: z.string() })

/** Filter for records in the collection `name` and in every collection below it. */
function inCollection(name: string) {
  const path = 'marks.collection'
  // `0` is the character after `/`, so this range covers all names that begin with `name` and a slash.
  return { or: [{ [path]: name }, { [path]: { gte: `${name}/`, lt: `${name}0` } }] }
}

const markCapabilities = [
  writeVerb({
    id: 'mark:set',
    method: 'records.mark',
    summary: 'Marks a record: pinned, importance, personal, keep, collection; null removes a mark.',
    input: z
      .strictObject({ id: recordId, ...markInput })
      .refine((input) => markNames.some((name) => input[name] !== undefined), {
        path: ['id'],
        message: `Give a mark with it: ${markNames.join(', ')}`,
      }),
    output: z.object({
      id: z.string(),
      /** The marks of the record after the change. */
      marks: z.object(marks),
      /** Input of this verb that restores the earlier marks. */
      undo: z.object({ id: z.string(), ...markChanges }),
      ...stored,
    }),
    run({ id, ...change }, at) {
      // `before` and `now`: the marks before and after the change.
      const { before, now } = at.records.mark(id, change)
      const changedNames = markNames.filter((name) => change[name] !== undefined)
      const undo = Object.fromEntries(changedNames.map((name) => [name, before[name] ?? null]))
      return {
        id,
        marks: now,
        undo: { id, ...undo },
        ...storedNow(at.call),
      }
    },
  }),
  readVerb({
    id: 'mark:list',
    method: 'records.marks',
    summary:
      'Lists marked records with their marks: all, or those of a collection and below it, pinned ones, ones to keep.',
    input: z
      .strictObject({
        collection: collectionName.optional(),
        pinned: z.boolean().optional(),
        personal: z.boolean().optional(),
        keep: z.boolean().optional(),
        minImportance: z.number().min(0).max(1).optional(),
        kind: z.string().min(1).max(100).optional(),
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ records: z.array(markedRecord), cursor: z.string().optional() }),
    run({ collection, minImportance, kind, limit, cursor, ...flags }, at) {
      const flagFilters = Object.entries(flags).flatMap(([name, value]) =>
        value === undefined ? [] : [{ [`marks.${name}`]: value }],
      )
      const filters = [
        ...flagFilters,
        ...(collection === undefined ? [] : [inCollection(collection)]),
        ...(minImportance === undefined ? [] : [{ 'marks.importance': { gte: minImportance } }]),
      ]
      const isMarkedFilter = { or: markNames.map((name) => ({ [`marks.${name}`]: { exists: true } })) }
      // Expired and superseded records keep their marks.
      const include = { expired: true, superseded: true }
      return at.records.query({
        filters: { and: filters.length > 0 ? filters : [isMarkedFilter] },
        include,
        kind,
        limit,
        cursor,
      })
    },
  }),
] as const

export const mark = defineChapter({ name: 'mark', capabilities: markCapabilities, kinds: [markKind] })
