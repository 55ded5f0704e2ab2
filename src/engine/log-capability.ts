// The verbs of the access log (calls at this copy of the book, or at its mirror) and of the activity log (recalls and
// contexts). Only the owner reads the logs. `access.reach` lists, for any caller, the records that it may read.
import { z } from 'zod'
import { type AccessEntry, callerSorts } from '../core/capability/access-log.ts'
import {
  type RecallEntry,
  type RecalledRecord,
  activitySorts,
  type CalledEntry,
  missingReasons,
} from '../core/capability/activity.ts'
import { defineCapability } from '../core/capability/capability.ts'
import type { ReadContext } from '../core/capability/context.ts'
import { defined } from '../core/defined.ts'
import { DaybookError, isDaybookError } from '../core/errors.ts'
import type { JsonObject } from '../core/json/path.ts'
import type { Stored } from '../core/record.ts'
import { parseWith } from '../core/schema.ts'
import { instant, recordId } from '../shape/field.ts'
import { readVerb } from '../shape/record-verbs.ts'
import { cursor, limit } from '../shape/page.ts'
import { shapeOf } from '../shape/shape-of.ts'

const foreignCursor = () =>
  new DaybookError('invalid-filter', '`cursor`: It is not of this list.', { details: { path: 'cursor' } })

const accessEntry = shapeOf<AccessEntry>()(
  z.object({
    /** Number of the entry at this copy of the book, ascending. */
    n: z.number(),
    at: z.string(),
    /** The agent of the call; empty for an unidentified caller. */
    caller: z.string(),
    by: z.enum(callerSorts),
    /** Id of the caller's token or access key, or name of its claims. */
    id: z.string().optional(),
    capability: z.string(),
    /** `ok`, or the error code. */
    outcome: z.string(),
    /** Kinds and number of the records that a write or sync changed, or of the items in an answer to a guest. */
    kinds: z.array(z.string()),
    count: z.number(),
    /** The purpose that the caller gave, and the id of the receipt that it presented. */
    purpose: z.string().optional(),
    receipt: z.string().optional(),
  }),
)

const accessPage = z.object({
  entries: z.array(accessEntry),
  /** The cursor of the next page; absent on the last page. */
  cursor: z.string().optional(),
})

/** The most records in one answer. */
const reachLimit = 10_000

const accessQuery = {
  /** The agent that called. */
  agent: z.string().min(1).max(1000).optional(),
  capability: z.string().min(1).max(200).optional(),
  /** `ok`, or the code of an error. */
  outcome: z.string().min(1).max(100).optional(),
  /** First instant, included, and last instant, excluded. A date is its first moment in UTC. */
  from: instant.optional(),
  to: instant.optional(),
  limit: limit(),
  cursor,
}

function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  if (/^a1\.\d{1,15}$/.test(cursor)) return Number(cursor.slice(3))
  throw foreignCursor()
}

export const accessCapabilities = [
  readVerb({
    id: 'access:reach',
    method: 'access.reach',
    summary: 'Lists which records the caller may read, by id and kind, in the order of their ids.',
    // No rate limit of a policy counts the call.
    isUncounted: true,
    input: z
      .strictObject({
        /** Only records with these ids. */
        ids: z.array(recordId).max(reachLimit).optional(),
        /** With `ids`: also the records made from them, directly or not. Only for the owner; ignored for a guest. */
        made: z.boolean().default(false),
        limit: limit(1000, reachLimit),
        /** Only ids after this id, which is the last id of the page before. */
        after: z.string().max(1000).optional(),
      })
      .prefault({}),
    output: z.object({
      records: z.array(z.object({ id: z.string(), kind: z.string() })),
      /** When an exhausted `rateLimit` of a policy permits the next call; absent if no limit is exhausted. */
      opensAt: z.string().optional(),
    }),
    uses: ['access', 'consent'],
    run(query, at) {
      const opensAt = at.consent.opensAt()
      return { records: at.access.reached(query), ...defined({ opensAt }) }
    },
  }),
  defineCapability({
    id: 'access:log',
    forAgents: true,
    methods: ['access.log'],
    summary:
      "Lists calls, newest first: every call of guests, also refused ones, and the owner's writes. Without content.",
    input: z
      .strictObject({
        ...accessQuery,
        /** The log of this copy of the book, or the log of its mirror. */
        where: z.enum(['here', 'mirror']).default('here'),
      })
      .prefault({}),
    output: accessPage,
    effect: 'task',
    uses: ['access', 'mirror'],
    async run({ where, cursor, limit, ...query }, at) {
      if (where === 'mirror') {
        if (!at.mirror.read) throw new DaybookError('sync-off')
        const input = { ...query, limit, ...defined({ cursor }) }
        return parseWith(accessPage, await at.mirror.read('access:log', input), 'protocol-error')
      }
      const before = readCursor(cursor)
      const found = await at.access.page({ ...query, before, limit: limit + 1 })
      const entries = found.slice(0, limit)
      const last = entries.at(-1)
      return {
        entries,
        ...(found.length > limit && last ? { cursor: `a1.${last.n}` } : {}),
      }
    },
  }),
] as const

const accessor = {
  caller: z.string(),
  by: z.enum(callerSorts),
  id: z.string().optional(),
}
/** The question and its options, so that the recall can be repeated. */
const questionShape = z.looseObject({ text: z.string() })
/**
 * A recall or context has `durationMs`, `found` (the number of records) and `question`; a context also `tokens` of its
 * text. A write or refusal has `outcome` (`ok` or the error code), and `kinds` and `count` of the changed records.
 */
const entryShape = {
  /** The number of a recall or a context, for `activity.get`. */
  n: z.number(),
  at: z.string(),
  sort: z.enum(activitySorts),
  ...accessor,
  capability: z.string(),
  purpose: z.string().optional(),
  question: questionShape.optional(),
  durationMs: z.number().optional(),
  tokens: z.number().optional(),
  found: z.number().optional(),
  /** The reason why an entry of a recall or context has no question. */
  missing: z.enum(missingReasons).optional(),
  outcome: z.string().optional(),
  kinds: z.array(z.string()).optional(),
  count: z.number().optional(),
}

const placePattern = /^v1\.(\d{1,16})\.(\d{1,16})$/

/** A page merges two logs: the cursor has the last number of each. */
function readPlace(cursor: string | undefined) {
  if (cursor === undefined) return undefined
  const [, first, second] = placePattern.exec(cursor) ?? []
  if (first !== undefined && second !== undefined) return { recalls: Number(first), calls: Number(second) }
  throw foreignCursor()
}

type Reading = ReadContext<'records' | 'recall'>

/** The hits of a recall, with their text at that time and their present state, if they can be read. */
function hitsNow(at: Reading, hits: readonly RecalledRecord[]) {
  const read = createReader(at)
  const ids = hits.map(({ id }) => id)
  // The query leaves out outdated records, which may quote forgotten records.
  const shown = read(ids, {})
  const isHeld = read(ids, { expired: false })
  const isLast = read(ids, { superseded: false })
  return hits.map((hit) => {
    const record = shown.get(hit.id)
    if (!record) return { ...hit, now: stateOfUnshown(at, hit.id) }
    const then = textOf(at, hit, record)
    if (!isLast.has(hit.id))
      return { ...hit, ...then, now: 'superseded' as const, ...successorOf(at, read, record) }
    if (!isHeld.has(hit.id)) return { ...hit, ...then, now: 'expired' as const }
    if (!at.recall.isRecalled(record)) return { ...hit, ...then, now: 'unrecalled' as const }
    return { ...hit, ...then }
  })
}

type Read = (
  ids: readonly string[],
  include: { readonly expired?: false; readonly superseded?: false },
) => ReadonlyMap<string, Stored<JsonObject>>

/** Reads records by id. Default: also expired and superseded ones. */
function createReader({ records }: Reading): Read {
  return (ids, include) => {
    const everything = { expired: true, superseded: true, ...include }
    const found = records.query({ filters: { id: { in: [...ids] } }, include: everything, limit: 1000 })
    return new Map(found.records.map((record) => [record.id, record]))
  }
}

/** The text of the recalled version, and whether it is the present one. */
function textOf(at: Reading, { id, version }: RecalledRecord, record: Stored<JsonObject>) {
  const versions = at.records.history(id)
  if (versions.at(-1)?.version === version)
    return { now: 'same' as const, text: at.recall.quote(record).text }
  const body = versions.find((one) => one.version === version)?.body
  const then = body && withBody(record, versions.at(-1)?.body ?? {}, body)
  return { now: 'changed' as const, ...(then ? { text: at.recall.quote(then).text } : {}) }
}

/** Most records to follow to the one that holds now. */
const maxChainLength = 1000

/** The record that holds now in place of `record`, with its text. Empty if it can't be read. */
function successorOf(at: Reading, read: Read, { id, kind }: Stored<JsonObject>) {
  const seen = new Set([id])
  for (const one of seen) {
    if (seen.size > maxChainLength) break
    const next = at.records
      .citing(one)
      .filter((citing) => citing.kind === kind && citing.path === 'supersedes')
      .map((citing) => citing.id)
    const [last] = read(next, { superseded: false }).values()
    if (last) return { successor: { id: last.id, text: at.recall.quote(last).text } }
    for (const other of next) seen.add(other)
  }
  return {}
}

/** The record with `body` in place of its present body: fields that came later are absent. */
function withBody(record: Stored<JsonObject>, present: object, body: object): Stored<JsonObject> {
  const head = Object.entries(record).filter(([name]) => !(name in present))
  return { ...Object.fromEntries(head), ...body } as Stored<JsonObject>
}

/** State of a record that the query leaves out: outdated, gone, or sealed under a key that is not here. */
function stateOfUnshown(at: Reading, id: string): 'changed' | 'gone' | 'locked' {
  try {
    return at.records.get(id) ? 'changed' : 'gone'
  } catch (error) {
    if (isDaybookError(error, 'locked')) return 'locked'
    throw error
  }
}

const toEntry = (entry: RecallEntry | CalledEntry) =>
  'kinds' in entry ? { ...entry, kinds: [...entry.kinds] } : entry

export const activityCapabilities = [
  defineCapability({
    id: 'activity:list',
    methods: ['activity.list'],
    summary:
      'Lists the activity of this copy of the book, newest first: recalls, contexts, writes, and refused calls.',
    runs: 'device',
    input: z
      .strictObject({
        /** Default: all sorts. */
        sorts: z.array(z.enum(activitySorts)).min(1).max(activitySorts.length).optional(),
        /** Only entries that recalled this record. */
        record: recordId.optional(),
        /** The agent that called. */
        agent: z.string().min(1).max(1000).optional(),
        /** First instant, included, and last instant, excluded. A date is its first moment in UTC. */
        from: instant.optional(),
        to: instant.optional(),
        limit: limit(),
        cursor: z.string().max(100).optional(),
      })
      .prefault({}),
    output: z.object({
      entries: z.array(z.object(entryShape)),
      /** The cursor of the next page; absent on the last page. */
      cursor: z.string().optional(),
    }),
    effect: 'read',
    uses: ['activity'],
    async run({ cursor, ...query }, at) {
      const { entries, next } = await at.activity.page({ ...query, before: readPlace(cursor) })
      return {
        entries: entries.map(toEntry),
        ...(next ? { cursor: `v1.${next.recalls}.${next.calls}` } : {}),
      }
    },
  }),
  defineCapability({
    id: 'activity:get',
    methods: ['activity.get'],
    summary:
      'Reads one recall or context: its hits with their scores, texts of then and states of now, and the context.',
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
            /**
             * `changed`: a later version, or outdated. `unrecalled`: recall returns it no more, such as an archived
             * memory. `gone`: forgotten, or merged away. `locked`: it can't be read here.
             */
            now: z.enum(['same', 'changed', 'superseded', 'expired', 'unrecalled', 'gone', 'locked']),
            /** Text of the recalled version; absent if it can't be read any more. */
            text: z.string().optional(),
            /** Of a superseded record: the record that holds now, with its text. */
            successor: z.object({ id: z.string(), text: z.string() }).optional(),
          }),
        ),
        context: z.string().optional(),
      })
      .nullable(),
    effect: 'read',
    // recall: only to quote the text of a hit.
    uses: ['activity', 'records', 'recall'],
    async run({ n }, at) {
      const found = await at.activity.get(n)
      if (!found) return null
      return { ...found, hits: hitsNow(at, found.hits) }
    },
  }),
  defineCapability({
    id: 'activity:of_record',
    methods: ['activity.ofRecord'],
    summary: 'Counts how often a record was recalled on this device in the last days, by caller.',
    runs: 'device',
    input: z.strictObject({ id: recordId }),
    output: z.object({
      recalls: z.number(),
      contexts: z.number(),
      lastAt: z.string().optional(),
      callers: z.array(z.object({ ...accessor, count: z.number(), lastAt: z.string() })),
    }),
    effect: 'read',
    uses: ['activity'],
    async run({ id }, at) {
      const { callers, ...sums } = await at.activity.ofRecord(id)
      return { ...sums, callers: [...callers] }
    },
  }),
] as const
