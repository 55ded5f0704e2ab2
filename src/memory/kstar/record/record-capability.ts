// The verbs that every kind shares: get and query records, forget and purge them, restore an earlier version.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf, type Stored } from '../../../core/record.ts'
import { isSealing, sensitivities } from '../../../core/sealed.ts'
import { recordHead } from '../../../shape/record-head.ts'
import { recordId } from '../../../shape/record-id.ts'
import { sealed, sealedField } from '../../../shape/sealed-count.ts'
import { name, receipt, recordPage, recordQuery } from '../record-schema.ts'

const anyRecord = z.looseObject({ ...recordHead, kind: z.string() }) as unknown as z.ZodType<
  Stored<JsonObject>
>

const removal = {
  id: z.string(),
  /** Records that cite it, by the fields that do. With `cascade`, what they were before. */
  cited_by: z.array(z.string()),
  citations: z.array(z.object({ id: z.string(), kind: z.string(), path: z.string() })),
  /** With `cascade`: records that lost the citation and stay. */
  released: z.array(z.string()),
  /** With `cascade`: records that rested on it alone and were forgotten too. */
  forgotten_too: z.array(z.string()),
  /** Records that were made from it, such as the episode of a message: out of recall until they are told anew without it. */
  told_anew: z.array(z.string()),
}

/**
 * What becomes of the records that cite it. False: they keep a link that leads nowhere. True: none is left that points
 * at it; what rested on it alone (a perception without other evidence, a skill learned from nothing else) goes with it.
 */
const cascade = z.boolean().default(false)

function notFound(id: string): DaybookError {
  return new DaybookError('not-found', `There is no record \`${id}\`.`, { details: { path: 'id' } })
}

export const recordCapabilities = [
  defineCapability({
    id: 'kstar:get_record',
    permission: 'read',
    methods: ['records.get'],
    summary:
      'Reads one record of any kind, also an expired or superseded one; null when there is none of that id.',
    input: z.strictObject({ id: recordId }),
    output: anyRecord.nullable(),
    effect: 'read',
    uses: ['records'],
    run: ({ id }, at) => at.records.get(id) ?? null,
  }),
  defineCapability({
    id: 'kstar:query_memory',
    permission: 'read',
    methods: ['records.query'],
    summary:
      'Lists records of one kind or of all, by filters and order, newest first unless asked otherwise.',
    input: recordQuery
      .extend({
        kind: name.optional(),
        include_expired: z.boolean().default(false),
        include_superseded: z.boolean().default(false),
        /** Also what was made from a record that is forgotten, and waits to be told anew. */
        include_outdated: z.boolean().default(false),
      })
      .prefault({}),
    output: recordPage(anyRecord),
    effect: 'read',
    uses: ['records'],
    run({ order_by: orderBy, include_expired, include_superseded, include_outdated, ...query }, at) {
      const include = {
        expired: include_expired,
        superseded: include_superseded,
        outdated: include_outdated,
      }
      return at.records.query({ ...query, orderBy, include })
    },
  }),
  defineCapability({
    id: 'kstar:forget',
    permission: 'forget',
    methods: ['records.forget', 'traces.forget', 'perceptions.forget', 'facts.forget', 'skills.forget'],
    summary:
      'Forgets a record: its content, history and index entries go, a tombstone without content stays.',
    input: z.strictObject({ id: recordId, cascade }),
    output: z.object({
      ...removal,
      /** False when there was nothing left to forget. */
      forgotten: z.boolean(),
    }),
    effect: 'write',
    uses: ['records'],
    run({ id, cascade: isCascade }, at) {
      const citations = at.records.citing(id)
      const told_anew = at.records.madeOf(id)
      const { changed, forgotten: gone } = isCascade ? at.records.release(id) : { changed: [], forgotten: [] }
      const forgotten = at.records.forget(id)
      const cited_by = [...new Set(citations.map((one) => one.id))]
      return { id, forgotten, cited_by, citations, released: changed, forgotten_too: gone, told_anew }
    },
  }),
  defineCapability({
    id: 'kstar:purge',
    methods: ['records.purge'],
    summary:
      'Removes a record physically: content, history, lost edits, stored answers, words in the index; an empty tombstone stays.',
    input: z.strictObject({ id: recordId, cascade }),
    output: z.object({
      ...removal,
      /** False when there was never such a record here. */
      purged: z.boolean(),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ id, cascade: isCascade }, at) {
      const answer = await at.records.write(({ records }) => {
        const citations = records.citing(id)
        const told_anew = records.madeOf(id)
        const { changed, forgotten } = isCascade ? records.release(id) : { changed: [], forgotten: [] }
        const purged = records.purge(id)
        // What fell with it is removed as it is.
        for (const one of forgotten) records.purge(one)
        const cited_by = [...new Set(citations.map((one) => one.id))]
        const ended = { released: changed, forgotten_too: forgotten, told_anew }
        return { id, purged, cited_by, citations, ...ended }
      })
      if (answer.purged) at.records.scrub()
      return answer
    },
  }),
  defineCapability({
    id: 'kstar:set_sensitivity',
    permission: 'write',
    methods: ['records.setSensitivity'],
    summary:
      'Says how sensitive a record is. What becomes sensitive is encrypted, with its versions, and nothing in clear is left.',
    input: z.strictObject({ id: recordId, sensitivity: z.enum(sensitivities) }),
    output: receipt,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ id, sensitivity }, at) {
      const answer = await at.records.write(({ records }) => {
        const record = records.get(id)
        if (!record) throw notFound(id)
        const isSame = (record.sensitivity ?? 'standard') === sensitivity
        if (!isSame) records.put({ kind: record.kind, id, body: bodyOf(record), scope: { sensitivity } })
        return { id, stored_at: at.call.now, durability: at.call.durability }
      })
      if (isSealing(sensitivity)) at.records.scrub()
      return answer
    },
  }),
  defineCapability({
    id: 'kstar:restore',
    permission: 'write',
    methods: ['records.restore'],
    summary: 'Makes an earlier version of a record the current one; the one before stays in the history.',
    input: z.strictObject({ id: recordId, version: z.number().int().min(1) }),
    output: receipt,
    effect: 'write',
    uses: ['records'],
    run({ id, version }, at) {
      const versions = at.records.history(id)
      if (versions.length === 0) throw notFound(id)
      const current = at.records.get(id)
      if (!current) {
        const message = `\`${id}\` was forgotten, and its content with it: there is nothing to restore.`
        throw new DaybookError('conflict', message, { details: { path: 'id' } })
      }
      const wanted = versions.find((one) => one.version === version)
      if (!wanted?.body) {
        const message = wanted
          ? `Version ${version} of \`${id}\` is one in which it was forgotten.`
          : `\`${id}\` has no version ${version}; the current one is ${versions.at(-1)?.version}.`
        throw new DaybookError('not-found', message, { details: { path: 'version' } })
      }
      at.records.put({ kind: current.kind, id, body: wanted.body, exact: true, keepsBefore: true })
      return { id, stored_at: at.call.now, durability: at.call.durability }
    },
  }),
  defineCapability({
    id: 'kstar:get_stats',
    permission: 'read',
    methods: ['stats'],
    summary:
      'Says how many records of each kind there are, from when to when, how large the book and its index are.',
    input: z.strictObject({}).prefault({}),
    output: z.object({
      total: z.number(),
      /** By kind: how many live records, and when the first and the last of them happened. */
      kinds: z.record(z.string(), z.object({ count: z.number(), earliest: z.string(), latest: z.string() })),
      date_range: z.object({ earliest: z.string(), latest: z.string() }).nullable(),
      /** What the book takes on its medium, indexes included. */
      bytes: z.number(),
      index: z.object({
        /** Records that wait to be indexed; the next read takes them in first. */
        behind: z.number(),
      }),
      sealed,
    }),
    effect: 'read',
    uses: ['records', 'status'],
    async run(_input, at) {
      const { usageBytes, unindexed } = await at.status.book()
      const kinds = at.records.extents()
      const all = Object.values(kinds)
      const earliest = all.map((one) => one.earliest).sort()[0]
      const latest = all
        .map((one) => one.latest)
        .sort()
        .at(-1)
      return {
        total: all.reduce((sum, { count }) => sum + count, 0),
        kinds,
        date_range: earliest === undefined || latest === undefined ? null : { earliest, latest },
        bytes: usageBytes,
        index: { behind: unindexed },
        ...sealedField(at.records.unread({})),
      }
    },
  }),
] as const
