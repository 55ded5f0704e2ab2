// Verbs for records of any kind: get, query, forget, purge, set the sensitivity, restore an earlier version, count.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { DaybookError, notFound } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf, type Stored } from '../../core/record.ts'
import { defined } from '../../core/defined.ts'
import { isSealing, sensitivities } from '../../core/sealed.ts'
import { trustClasses } from '../../core/trusted.ts'
import { recordHead } from '../../shape/record-head.ts'
import { recordId, sealed, sealedField } from '../../shape/field.ts'
import { name, receipt } from './record-schema.ts'
import { readVerb, recordPage, recordQuery, writeVerb } from '../../shape/record-verbs.ts'
import { storedNow } from '../../shape/receipt.ts'

export const anyRecord = z.looseObject({ ...recordHead, kind: z.string() }) as unknown as z.ZodType<
  Stored<JsonObject>
>

const removalOutput = {
  id: z.string(),
  /** Ids of the records that cite this one; with `cascade`, as before the change. */
  citedBy: z.array(z.string()),
  citations: z.array(z.object({ id: z.string(), kind: z.string(), path: z.string() })),
  /** With `cascade`: ids of records that lost the citation and stay. */
  released: z.array(z.string()),
  /** With `cascade`: ids of records without any other evidence, which were forgotten too. */
  alsoForgotten: z.array(z.string()),
  /**
   * Ids of records made from this one, such as the episode of a message. They are out of recall until they are rebuilt
   * without it.
   */
  rebuilt: z.array(z.string()),
}

/**
 * False: records that cite this one keep a dangling link. True: removes the citations, and forgets the records that
 * have no other evidence (a perception without other evidence, a skill learned from nothing else).
 */
const cascade = z.boolean().default(false)

export const recordCapabilities = [
  readVerb({
    id: 'kstar:get_record',
    method: 'records.get',
    summary: 'Reads one record of any kind by id, also an expired or superseded one, or null.',
    input: z.strictObject({ id: recordId }),
    output: anyRecord.nullable(),
    run: ({ id }, at) => at.records.get(id) ?? null,
  }),
  readVerb({
    id: 'kstar:query_memory',
    method: 'records.query',
    summary:
      'Lists records of one kind or of all, by filters and order, newest first unless asked otherwise.',
    input: recordQuery
      .extend({
        kind: name.optional(),
        includeExpired: z.boolean().default(false),
        includeSuperseded: z.boolean().default(false),
        /** True: includes records that wait for a rebuild, because one of their sources was forgotten. */
        includeOutdated: z.boolean().default(false),
      })
      .prefault({}),
    output: recordPage(anyRecord),
    run({ orderBy, includeExpired, includeSuperseded, includeOutdated, ...query }, at) {
      const include = {
        expired: includeExpired,
        superseded: includeSuperseded,
        outdated: includeOutdated,
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
      ...removalOutput,
      /** False if there was no record to forget. */
      forgotten: z.boolean(),
    }),
    effect: 'write',
    uses: ['records'],
    run({ id, cascade: isCascade }, at) {
      const citations = at.records.citing(id)
      const rebuilt = at.records.madeOf(id)
      const { changed, forgotten: alsoForgotten } = isCascade
        ? at.records.release(id)
        : { changed: [], forgotten: [] }
      const forgotten = at.records.forget(id)
      const citedBy = [...new Set(citations.map((citation) => citation.id))]
      return { id, forgotten, citedBy, citations, released: changed, alsoForgotten, rebuilt }
    },
  }),
  defineCapability({
    id: 'kstar:purge',
    methods: ['records.purge'],
    summary:
      'Removes a record physically: content, history, lost edits, stored answers, words in the index; an empty tombstone stays.',
    input: z.strictObject({ id: recordId, cascade }),
    output: z.object({
      ...removalOutput,
      /** False if this copy never had the record. */
      purged: z.boolean(),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ id, cascade: isCascade }, at) {
      const result = await at.records.write(({ records }) => {
        const citations = records.citing(id)
        const rebuilt = records.madeOf(id)
        const { changed, forgotten } = isCascade ? records.release(id) : { changed: [], forgotten: [] }
        const purged = records.purge(id)
        // Purge the records that were forgotten with this one, too.
        for (const forgottenId of forgotten) records.purge(forgottenId)
        const citedBy = [...new Set(citations.map((citation) => citation.id))]
        const cascadeResult = { released: changed, alsoForgotten: forgotten, rebuilt }
        return { id, purged, citedBy, citations, ...cascadeResult }
      })
      // Removes the purged bytes from the files too.
      if (result.purged) at.records.scrub()
      return result
    },
  }),
  defineCapability({
    id: 'kstar:set_sensitivity',
    permission: 'write',
    methods: ['records.setSensitivity'],
    summary:
      'Sets the sensitivity of a record. A record that becomes sensitive is encrypted with its versions; nothing in clear stays.',
    input: z.strictObject({ id: recordId, sensitivity: z.enum(sensitivities) }),
    output: receipt,
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ id, sensitivity }, at) {
      const answer = await at.records.write(({ records }) => {
        const record = records.get(id)
        if (!record) throw notFound('record', id)
        const isSame = (record.sensitivity ?? 'standard') === sensitivity
        if (!isSame) records.put({ kind: record.kind, id, body: bodyOf(record), scope: { sensitivity } })
        return { id, ...storedNow(at.call) }
      })
      // The bytes of the clear text are still in the files.
      if (isSealing(sensitivity)) at.records.scrub()
      return answer
    },
  }),
  defineCapability({
    id: 'kstar:set_trust',
    methods: ['records.setTrust'],
    summary:
      'Sets how far the text of a record may be believed. Only the owner raises it; it is not inherited by what was made before.',
    input: z.strictObject({ id: recordId, trust: z.enum(trustClasses) }),
    output: receipt,
    effect: 'write',
    uses: ['records'],
    run({ id, trust }, at) {
      const record = at.records.get(id)
      if (!record) throw notFound('record', id)
      const isSame = (record.trust ?? 'owner') === trust
      if (!isSame) at.records.put({ kind: record.kind, id, body: bodyOf(record), vouches: trust })
      return { id, ...storedNow(at.call) }
    },
  }),
  writeVerb({
    id: 'kstar:restore',
    method: 'records.restore',
    summary: 'Makes an earlier version of a record the current one; the one before stays in the history.',
    input: z.strictObject({ id: recordId, version: z.number().int().min(1) }),
    output: receipt,
    run({ id, version }, at) {
      const versions = at.records.history(id)
      if (versions.length === 0) throw notFound('record', id)
      const current = at.records.get(id)
      if (!current) {
        const message = `\`${id}\` was forgotten: its content is gone and can't be restored.`
        throw new DaybookError('conflict', message, { details: { path: 'id' } })
      }
      const chosenVersion = versions.find((candidate) => candidate.version === version)
      if (chosenVersion?.sealed)
        throw new DaybookError('locked', undefined, {
          details: { path: 'version', id, sealed: chosenVersion.sealed },
        })
      if (!chosenVersion?.body) {
        const message = chosenVersion
          ? `In version ${version}, \`${id}\` was forgotten; choose another version.`
          : `\`${id}\` has no version ${version}; the current one is ${versions.at(-1)?.version}.`
        throw new DaybookError('not-found', message, { details: { path: 'version' } })
      }
      // `exact`: fields that the version lacks are removed. `keepsBefore`: the history keeps the version
      // before.
      const { body, trust } = chosenVersion
      const scope = defined({ trust })
      at.records.put({ kind: current.kind, id, body, scope, exact: true, keepsBefore: true })
      return { id, ...storedNow(at.call) }
    },
  }),
  readVerb({
    id: 'kstar:get_stats',
    method: 'stats',
    summary: 'Counts the records of each kind, with their time span and the size of the book and its index.',
    input: z.strictObject({}).prefault({}),
    output: z.object({
      total: z.number(),
      /** By kind: number of live records, and the times of the first and the last record. */
      kinds: z.record(z.string(), z.object({ count: z.number(), earliest: z.string(), latest: z.string() })),
      dateRange: z.object({ earliest: z.string(), latest: z.string() }).nullable(),
      /** Bytes in storage, with indexes. */
      bytes: z.number(),
      index: z.object({
        /** Number of records that wait to be indexed. The next read that needs the index adds them first. */
        behind: z.number(),
      }),
      sealed,
    }),
    uses: ['records', 'status'],
    async run(_input, at) {
      // Bytes in storage, and number of records that wait to be indexed.
      const { usageBytes, unindexed } = await at.status.book()
      const kinds = at.records.extents()
      const extents = Object.values(kinds)
      const earliest = extents.map((extent) => extent.earliest).sort()[0]
      const latest = extents
        .map((extent) => extent.latest)
        .sort()
        .at(-1)
      return {
        total: extents.reduce((sum, { count }) => sum + count, 0),
        kinds,
        dateRange: earliest === undefined || latest === undefined ? null : { earliest, latest },
        bytes: usageBytes,
        index: { behind: unindexed },
        ...sealedField(at.records.unread({})),
      }
    },
  }),
] as const
