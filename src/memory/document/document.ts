// The chapter of documents that programs store under names (files and items of the adapters): read one, list a
// folder, list the folders, write many at once.
// Invariant: if the condition of one change is not met, the write changes nothing.
import { defineChapter } from '../../core/capability/chapter.ts'
import {
  documentBase,
  documentBody,
  maxDocumentBytes,
  documentKey,
  documentName,
  documentValue,
  folderPath,
  partKeys,
} from './document-kind.ts'
import { z } from 'zod'
import type { RecordWriter } from '../../core/capability/port/record-port.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Stored } from '../../core/record.ts'
import { sensitivities } from '../../core/sealed.ts'
import { nameHash } from '../../core/text/text-key.ts'
import { recordHead } from '../../shape/record-head.ts'
import { sealed, sealedField } from '../../shape/field.ts'
import { cursor, limit, restOf } from '../../shape/page.ts'
import { filters, orderBy, readVerb, writeVerb } from '../../shape/record-verbs.ts'
import { stored, storedNow } from '../../shape/receipt.ts'

const storedDocument = z.looseObject({
  ...recordHead,
  kind: z.literal('document'),
  folder: z.string(),
  key: z.string(),
  value: documentValue,
  /** Version of the value. Pass it as `ifMatch` to write only if the value is still the same. */
  etag: z.string(),
})
type StoredDocument = z.output<typeof storedDocument>

function toOutput(record: Stored<JsonObject>): StoredDocument {
  return { ...record, etag: etagOf(record) } as unknown as StoredDocument
}

function etagOf(record: Stored<JsonObject>): string {
  return nameHash('document', JSON.stringify(record['value']))
}

/**
 * Filter for documents in the folder `folderName` and below it: their folders begin with `folderName`. `0` is the character
 * after `/`.
 */
function belowFolder(folderName: string) {
  return { folder: { gte: folderName, lt: `${folderName.slice(0, -1)}0` } }
}

const change = z.strictObject({
  folder: folderPath.default(''),
  key: documentKey,
  /** Null removes the document. */
  value: documentValue.nullable(),
  /** Required current `etag`. Null: the document must not exist. Absent: no condition. */
  ifMatch: z.string().max(100).nullable().optional(),
  sensitivity: z.enum(sensitivities).optional(),
  /** False: recall never returns the document. Default: unchanged. */
  recalled: z.boolean().optional(),
})
type Change = z.output<typeof change>

/**
 * Finds the document of `change`. `before`: undefined if it doesn't exist. Throws `conflict` if the condition
 * is not met, `locked` if the document can't be read. `index`: place of the change in the input, for the
 * error.
 */
function assertCondition({ folder, key, ifMatch }: Change, records: RecordWriter, index: number) {
  const name = documentName(folder, key)
  // A locked document has no usable etag, and a write must not replace it unread.
  if (records.sealed.idOf(name) !== undefined) {
    throw new DaybookError('locked', `\`${folder}${key}\` is sealed.`, {
      details: { path: `changes.${index}` },
    })
  }
  const existing = records.find(name)
  if (ifMatch === undefined) return { name, before: existing }
  const etag = existing ? etagOf(existing) : null
  if (etag === ifMatch) return { name, before: existing }
  const message =
    ifMatch === null
      ? `Document \`${folder}${key}\` already exists.`
      : `\`${folder}${key}\` was changed since it was read; read it again.`
  throw new DaybookError('conflict', message, { details: { path: `changes.${index}.ifMatch`, etag } })
}

/**
 * Sensitivity of the parts that `changes` write, by id: that of the document that lists the part, after the
 * changes.
 */
function sensitivityByPartId(changes: readonly Change[], records: RecordWriter) {
  const levels = new Map<string, Stored<JsonObject>['sensitivity']>()
  for (const { folder, key, value, sensitivity } of changes) {
    const keys = value === null ? [] : partKeys(value)
    if (keys.length === 0) continue
    const level = sensitivity ?? records.find(documentName(folder, key))?.['sensitivity']
    for (const partKey of keys) levels.set(documentName(folder, partKey).id, level as typeof sensitivity)
  }
  return levels
}

const documentCapabilities = [
  readVerb({
    id: 'document:read',
    method: 'documents.read',
    summary: 'Reads a document by name, or null.',
    input: z.strictObject({ folder: folderPath.default(''), key: documentKey }),
    output: storedDocument.nullable(),
    run({ folder, key }, at) {
      const record = at.records.find(documentName(folder, key))
      return record ? toOutput(record) : null
    },
  }),
  readVerb({
    id: 'document:list',
    method: 'documents.list',
    summary:
      'Lists the documents of a folder and of all below it, by default in the order in which they were made.',
    input: z
      .strictObject({
        folder: folderPath.default(''),
        /** False: only documents directly in this folder. */
        deep: z.boolean().default(true),
        filters,
        orderBy: orderBy.unwrap().default('created_at'),
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ documents: z.array(storedDocument), cursor: z.string().optional(), sealed }),
    run({ folder, deep, filters: own, orderBy, limit, cursor }, at) {
      const place = !deep ? { folder } : folder === '' ? undefined : belowFolder(folder)
      const filters = place && own ? { and: [place, own] } : (place ?? own)
      const page = at.records.query({ kind: 'document', filters, orderBy, limit, cursor })
      return {
        documents: page.records.map(toOutput),
        ...restOf(page),
      }
    },
  }),
  readVerb({
    id: 'document:folders',
    method: 'documents.folders',
    summary: 'Lists the folders that contain documents, with their number, in a folder and below it.',
    input: z
      .strictObject({
        folder: folderPath.default(''),
        /** Only folders after this one, for the next page. */
        after: folderPath.optional(),
        limit: limit(1000, 10_000),
      })
      .prefault({}),
    output: z.object({
      folders: z.array(z.object({ folder: z.string(), documents: z.number() })),
      /** True: there are more. */
      more: z.literal(true).optional(),
      sealed,
    }),
    run({ folder, after, limit }, at) {
      const conditions = [
        ...(folder === '' ? [] : [belowFolder(folder)]),
        ...(after === undefined ? [] : [{ folder: { gt: after } }]),
      ]
      const filters = conditions.length === 0 ? undefined : { and: conditions }
      const counted = at.records.count({ kind: 'document', filters, by: 'subject' })
      const folders = counted.buckets
        .slice(0, limit)
        .map(({ at: name, count }) => ({ folder: name, documents: count }))
      const more = counted.buckets.length > limit ? ({ more: true } as const) : {}
      return { folders, ...more, ...sealedField(counted.sealed ?? 0) }
    },
  }),
  writeVerb({
    id: 'document:write',
    method: 'documents.write',
    summary:
      'Writes and removes documents, all or none; with `ifMatch`, only if unchanged since they were read.',
    input: z.strictObject({ changes: z.array(change).min(1).max(10_000) }),
    output: z.object({
      /** One entry for each change. `etag`: null for a removed document. */
      written: z.array(z.object({ id: z.string(), etag: z.string().nullable() })),
      ...stored,
    }),
    run({ changes }, at) {
      const levels = sensitivityByPartId(changes, at.records)
      const written = changes.map((documentChange, index) => {
        const { name, before: existing } = assertCondition(documentChange, at.records, index)
        if (documentChange.value === null) {
          if (existing) at.records.forget(existing.id)
          return { id: existing?.id ?? name.id, etag: null }
        }
        const { folder, key, value, recalled } = documentChange
        const sensitivity = documentChange.sensitivity ?? levels.get(name.id)
        const parsedBody = documentBody.safeParse({
          folder,
          key,
          value,
          ...defined({ recalled }),
        })
        // The input's shape was checked already, so only the size can be wrong.
        if (!parsedBody.success) {
          throw new DaybookError('too-large', `\`${folder}${key}\` is too large.`, {
            details: { path: `changes.${index}.value`, limitBytes: maxDocumentBytes },
          })
        }
        const body = JSON.parse(JSON.stringify(parsedBody.data)) as JsonObject
        const scope = sensitivity === undefined ? {} : { scope: { sensitivity } }
        // `checked`: the body fits the kind, so the store does not check it again.
        const id = at.records.put({ kind: 'document', name, body, checked: true, ...scope })
        const stored = at.records.get(id)
        return { id, etag: stored ? etagOf(stored) : null }
      })
      return { written, ...storedNow(at.call) }
    },
  }),
] as const

export const document = defineChapter({ ...documentBase, capabilities: documentCapabilities })
