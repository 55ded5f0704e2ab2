// The verbs of documents: read one, list a folder, write many at once, each only where it is still what the writer saw.
// Invariant: a write whose conditions do not hold changes nothing.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { RecordWriter } from '../../core/capability/port/record-port.ts'
import { DaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { Stored } from '../../core/record.ts'
import { sensitivities } from '../../core/sealed.ts'
import { nameHash } from '../../core/text/murmur.ts'
import { recordHead } from '../../shape/record-head.ts'
import { sealed, sealedField } from '../../shape/sealed-count.ts'
import {
  documentBody,
  documentBytes,
  documentKey,
  documentName,
  documentValue,
  folder,
  partKeys,
} from './document-kind.ts'

const storedDocument = z.looseObject({
  ...recordHead,
  kind: z.literal('document'),
  folder: z.string(),
  key: z.string(),
  value: documentValue,
  /** Names this value of the document: given back as `if_match`, a write is of what was read. */
  etag: z.string(),
})
type StoredDocument = z.output<typeof storedDocument>

function shown(record: Stored<JsonObject>): StoredDocument {
  return { ...record, etag: etagOf(record) } as unknown as StoredDocument
}

function etagOf(record: Stored<JsonObject>): string {
  return nameHash('document', JSON.stringify(record['value']))
}

/** All that lies in a folder and below it: its name is what theirs begin with, and `0` follows `/`. */
function within(name: string) {
  return { folder: { gte: name, lt: `${name.slice(0, -1)}0` } }
}

const change = z.strictObject({
  folder: folder.default(''),
  key: documentKey,
  /** Null takes it away. */
  value: documentValue.nullable(),
  /** The `etag` that it must have still; null: there must be none. */
  if_match: z.string().max(100).nullable().optional(),
  sensitivity: z.enum(sensitivities).optional(),
  /** False keeps it out of recall. Default: as it was. */
  recalled: z.boolean().optional(),
})
type Change = z.output<typeof change>

/** The document that `change` is about, unless it is not what the caller takes it for. */
function checked({ folder, key, if_match }: Change, records: RecordWriter, place: number) {
  const name = documentName(folder, key)
  // What is sealed and can't be read here has no etag that anybody could name, and must not be replaced unseen.
  if (records.sealed.idOf(name) !== undefined) {
    throw new DaybookError('locked', `\`${folder}${key}\` is sealed.`, {
      details: { path: `changes.${place}` },
    })
  }
  const before = records.find(name)
  if (if_match === undefined) return { name, before }
  const etag = before ? etagOf(before) : null
  if (etag === if_match) return { name, before }
  const message =
    if_match === null
      ? `There is a document \`${folder}${key}\` already.`
      : `\`${folder}${key}\` is not what was read any more.`
  throw new DaybookError('conflict', message, { details: { path: `changes.${place}.if_match`, etag } })
}

/** How sensitive the parts are that `changes` write: as the document that lists them is, or will be. By id. */
function partLevels(changes: readonly Change[], records: RecordWriter) {
  const levels = new Map<string, Stored<JsonObject>['sensitivity']>()
  for (const { folder, key, value, sensitivity } of changes) {
    const keys = value === null ? [] : partKeys(value)
    if (keys.length === 0) continue
    const level = sensitivity ?? records.find(documentName(folder, key))?.['sensitivity']
    for (const part of keys) levels.set(documentName(folder, part).id, level as typeof sensitivity)
  }
  return levels
}

export const documentCapabilities = [
  defineCapability({
    id: 'document:read',
    permission: 'read',
    methods: ['documents.read'],
    summary: 'Reads the document of a name; null when there is none.',
    input: z.strictObject({ folder: folder.default(''), key: documentKey }),
    output: storedDocument.nullable(),
    effect: 'read',
    uses: ['records'],
    run({ folder, key }, at) {
      const found = at.records.find(documentName(folder, key))
      return found ? shown(found) : null
    },
  }),
  defineCapability({
    id: 'document:list',
    permission: 'read',
    methods: ['documents.list'],
    summary: 'Lists the documents of a folder and of all below it, in the order in which they were made.',
    input: z
      .strictObject({
        folder: folder.default(''),
        /** False: only what lies in this very folder. */
        deep: z.boolean().default(true),
        limit: z.number().int().min(1).max(1000).default(100),
        cursor: z.string().max(40_000).optional(),
      })
      .prefault({}),
    output: z.object({ documents: z.array(storedDocument), cursor: z.string().optional(), sealed }),
    effect: 'read',
    uses: ['records'],
    run({ folder, deep, limit, cursor }, at) {
      const below = folder === '' ? undefined : within(folder)
      const filters = deep ? below : { folder }
      const page = at.records.query({ kind: 'document', filters, orderBy: 'created_at', limit, cursor })
      return {
        documents: page.records.map(shown),
        ...sealedField(page.sealed ?? 0),
        ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
      }
    },
  }),
  defineCapability({
    id: 'document:write',
    permission: 'write',
    methods: ['documents.write'],
    summary:
      'Writes and takes away documents, all of them or none; with `if_match`, only what is still as it was read.',
    input: z.strictObject({ changes: z.array(change).min(1).max(10_000) }),
    output: z.object({
      /** For each change; `etag` is null for one that is gone now. */
      written: z.array(z.object({ id: z.string(), etag: z.string().nullable() })),
      stored_at: z.string(),
      durability: z.enum(['opfs', 'indexeddb', 'memory', 'file', 'durable-object', 'postgres']),
    }),
    effect: 'write',
    uses: ['records'],
    run({ changes }, at) {
      const levels = partLevels(changes, at.records)
      const written = changes.map((one, place) => {
        const { name, before } = checked(one, at.records, place)
        if (one.value === null) {
          if (before) at.records.forget(before.id)
          return { id: before?.id ?? name.id, etag: null }
        }
        const { folder, key, value, recalled } = one
        const sensitivity = one.sensitivity ?? levels.get(name.id)
        const parsed = documentBody.safeParse({
          folder,
          key,
          value,
          ...(recalled === undefined ? {} : { recalled }),
        })
        if (!parsed.success) {
          throw new DaybookError('too-large', `\`${folder}${key}\` is too large.`, {
            details: { path: `changes.${place}.value`, limitBytes: documentBytes },
          })
        }
        const body = JSON.parse(JSON.stringify(parsed.data)) as JsonObject
        const scope = sensitivity === undefined ? {} : { scope: { sensitivity } }
        const id = at.records.put({ kind: 'document', name, body, checked: true, ...scope })
        const stored = at.records.get(id)
        return { id, etag: stored ? etagOf(stored) : null }
      })
      return { written, stored_at: at.call.now, durability: at.call.durability }
    },
  }),
] as const
