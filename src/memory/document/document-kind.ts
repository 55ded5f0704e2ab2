// The kind `document`: JSON that a program keeps under a key in a folder: a file of an agent's memory, an item of a store.
// Invariant: there is one of each name in a book, because its id follows from the name.
import { partMark, partsField } from '../../core/document-part.ts'
import { z } from 'zod'
import type { JsonObject } from '../../core/json/path.ts'
import { type Kind, whenField } from '../../core/kind.ts'
import type { RecordName } from '../../core/put-request.ts'
import { nameId } from '../../core/text/name-id.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { plainText } from '../../core/text/plain-text.ts'

/** Bytes of UTF-8 that the value of a document takes as JSON: what fits into a row at every host. */
export const documentBytes = 1_800_000

const sound = (text: string) => text.isWellFormed()

/**
 * Where documents lie: labels with `/` behind each, `notes/2026/`; the empty text is the root. A folder is there as long as
 * something lies in it.
 */
export const folder = z
  .string()
  .max(4000)
  .refine((text) => text === '' || (text.endsWith('/') && !text.startsWith('/')), 'has `/` behind each label')
  .refine((text) => !text.includes('//'), 'has an empty label')
  .refine(sound, 'is not well-formed Unicode')
export const documentKey = z.string().min(1).max(2000).refine(sound, 'is not well-formed Unicode')
export const documentValue = z.record(z.string(), z.json())

export const documentBody = z.looseObject({
  folder,
  key: documentKey,
  /** False: it is no memory, and in no recall. */
  recalled: z.boolean().optional(),
  value: documentValue.refine(
    (value) => utf8Length(JSON.stringify(value)) <= documentBytes,
    `is larger than ${documentBytes} bytes`,
  ),
})
export type DocumentBody = z.output<typeof documentBody>

/** What a document is known by. */
export function documentName(folder: string, key: string): RecordName {
  return { kind: 'document', id: nameId('document', folder, key), scopes: [`document:${folder}`] }
}

/** The keys of the parts that a value lists. */
export function partKeys(value: JsonObject): readonly string[] {
  const keys = value[partsField]
  if (!Array.isArray(keys)) return []
  return keys.filter((key) => typeof key === 'string').filter((key) => key.startsWith(partMark))
}

export const documentKind: Kind<'document', DocumentBody> = {
  name: 'document',
  idPrefix: 'document::',
  idOf: ({ folder, key }: JsonObject) => documentName(plainText(folder), plainText(key)).id,
  summary: 'JSON that a program keeps under a key in a folder.',
  version: 1,
  schema: documentBody,
  text: [whenField, 'key', 'value'],
  facets: { subject: 'folder', name: 'key' },
  scopedBy: 'subject',
  shared: true,
  // It is whole as one writer left it; what was written elsewhere meanwhile is in the log of conflicts.
  policy: 'last_write_wins',
  // In the same folder, so that nobody names a document of another reach.
  parts: ({ folder, key, value }) =>
    key.startsWith(partMark) ? [] : partKeys(value).map((part) => documentName(folder, part).id),
  recallable: ({ recalled }) => recalled !== false,
  embeds: ({ recalled }) => recalled !== false,
}
