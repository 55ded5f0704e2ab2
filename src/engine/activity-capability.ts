// The verbs of activity: what was asked of this copy of the book and what was found, what was written and what was refused. The
// owner's alone.
import { z } from 'zod'
import {
  type AskedEntry,
  type AskedHit,
  activitySorts,
  type CalledEntry,
  lostReasons,
} from '../core/capability/activity.ts'
import { callerSorts } from '../core/capability/access-log.ts'
import { defineCapability } from '../core/capability/capability.ts'
import type { ReadContext } from '../core/capability/context.ts'
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { Stored } from '../core/record.ts'
import type { JsonObject } from '../core/json/path.ts'
import { instant } from '../shape/instant.ts'
import { recordId } from '../shape/record-id.ts'

const who = {
  caller: z.string(),
  by: z.enum(callerSorts),
  id: z.string().optional(),
}
/** The question as it was asked; with the other fields it can be asked again. */
const asked = z.looseObject({ text: z.string() })
const entryShape = {
  /** Names a recall or a context for `activity.get`. */
  n: z.number(),
  at: z.string(),
  sort: z.enum(activitySorts),
  ...who,
  capability: z.string(),
  purpose: z.string().optional(),
  asked: asked.optional(),
  took: z.number().optional(),
  tokens: z.number().optional(),
  found: z.number().optional(),
  lost: z.enum(lostReasons).optional(),
  outcome: z.string().optional(),
  kinds: z.array(z.string()).optional(),
  count: z.number().optional(),
}

const placePattern = /^v1\.(\d{1,16})\.(\d{1,16})$/

function readPlace(cursor: string | undefined) {
  if (cursor === undefined) return undefined
  const [, first, second] = placePattern.exec(cursor) ?? []
  if (first !== undefined && second !== undefined) return { asked: Number(first), called: Number(second) }
  throw new DaybookError('invalid-filter', '`cursor`: It is none of this list.', {
    details: { path: 'cursor' },
  })
}

type Reading = ReadContext<'records' | 'recall'>

/** What has become of what was recalled since then, and what it said, as far as that is known and may be told. */
function sinceThen(at: Reading, hits: readonly AskedHit[]) {
  const ids = hits.map(({ id }) => id)
  const include = { expired: true, superseded: true }
  // What waits to be told anew may quote what is forgotten, and is not among them.
  const { records } = at.records.query({ filters: { id: { in: ids } }, include, limit: 1000 })
  const told = new Map(records.map((record) => [record.id, record]))
  return hits.map((hit) => ({ ...hit, ...becameOf(at, hit, told.get(hit.id)) }))
}

function becameOf(at: Reading, { id, version }: AskedHit, record: Stored<JsonObject> | undefined) {
  if (!record) return { now: isThere(at, id) }
  const versions = at.records.history(id)
  if (versions.at(-1)?.version === version)
    return { now: 'same' as const, text: at.recall.quote(record).said }
  const body = versions.find((one) => one.version === version)?.body
  const then = body && ({ ...record, ...body } as Stored<JsonObject>)
  return { now: 'changed' as const, ...(then ? { text: at.recall.quote(then).said } : {}) }
}

function isThere(at: Reading, id: string): 'changed' | 'gone' | 'locked' {
  try {
    return at.records.get(id) ? 'changed' : 'gone'
  } catch (error) {
    if (isDaybookError(error, 'locked')) return 'locked'
    throw error
  }
}

const toEntry = (entry: AskedEntry | CalledEntry) =>
  'kinds' in entry ? { ...entry, kinds: [...entry.kinds] } : entry

export const activityCapabilities = [
  defineCapability({
    id: 'activity:list',
    methods: ['activity.list'],
    summary:
      'Lists what was asked of this copy of the book, newest first: recalls and contexts as they were asked, writes, and refused calls.',
    runs: 'device',
    input: z
      .strictObject({
        /** Default: all of them. */
        sorts: z.array(z.enum(activitySorts)).min(1).max(4).optional(),
        /** Only what recalled this record. */
        record: recordId.optional(),
        /** The agent in whose name it was called. */
        agent: z.string().min(1).max(1000).optional(),
        /** From this instant on, and before that one. */
        from: instant.optional(),
        to: instant.optional(),
        limit: z.number().int().min(1).max(1000).default(100),
        cursor: z.string().max(100).optional(),
      })
      .prefault({}),
    output: z.object({
      entries: z.array(z.object(entryShape)),
      /** For the next page; absent when there is none. */
      cursor: z.string().optional(),
    }),
    effect: 'read',
    uses: ['activity'],
    async run({ cursor, ...query }, at) {
      const { entries, next } = await at.activity.page({ ...query, before: readPlace(cursor) })
      return {
        entries: entries.map(toEntry),
        ...(next ? { cursor: `v1.${next.asked}.${next.called}` } : {}),
      }
    },
  }),
  defineCapability({
    id: 'activity:get',
    methods: ['activity.get'],
    summary:
      'A recall or a context as it was asked: its hits with their scores, what they said then and what became of them, and the packed text.',
    runs: 'device',
    input: z.strictObject({ n: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) }),
    output: z
      .object({
        ...entryShape,
        hits: z.array(
          z.object({
            id: z.string(),
            kind: z.string(),
            score: z.number(),
            version: z.number(),
            /** `gone`: forgotten, or merged away. */
            now: z.enum(['same', 'changed', 'gone', 'locked']),
            text: z.string().optional(),
          }),
        ),
        packed: z.string().optional(),
      })
      .nullable(),
    effect: 'read',
    uses: ['activity', 'records', 'recall'],
    async run({ n }, at) {
      const found = await at.activity.get(n)
      if (!found) return null
      return { ...found, hits: sinceThen(at, found.hits) }
    },
  }),
  defineCapability({
    id: 'activity:of_record',
    methods: ['activity.ofRecord'],
    summary: 'Tells how often a record was recalled on this device in the last days, and in whose name.',
    runs: 'device',
    input: z.strictObject({ id: recordId }),
    output: z.object({
      recalls: z.number(),
      contexts: z.number(),
      last_at: z.string().optional(),
      callers: z.array(z.object({ ...who, count: z.number(), last_at: z.string() })),
    }),
    effect: 'read',
    uses: ['activity'],
    async run({ id }, at) {
      const { callers, ...sums } = await at.activity.ofRecord(id)
      return { ...sums, callers: [...callers] }
    },
  }),
] as const
