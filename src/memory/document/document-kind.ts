// The kind `document`: JSON that a program stores under a key in a folder, such as a file of an agent's memory or an
// item of a store.
// Invariant: a book has one document per folder and key, because the id derives from both.
import { defineChapterBase } from '../../core/capability/chapter.ts'
import { nameId, partMark, partsField } from '../../core/text/name-id.ts'
import { z } from 'zod'
import type { JsonObject } from '../../core/json/path.ts'
import { type Kind, whenField } from '../../core/kind.ts'
import type { RecordName } from '../../core/record.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { plainText } from '../../core/text/shown-text.ts'
import { someText, soundText } from '../../shape/sound-text.ts'

/** Most bytes of a document's value, as JSON in UTF-8; a value of this size fits into a row on every host. */
export const maxDocumentBytes = 1_800_000

/**
 * Folder path: labels, each followed by `/`, such as `notes/2026/`; empty for the root. A folder exists as long as it
 * contains a document.
 */
export const folderPath = soundText(4000)
  .refine(
    (text) => text === '' || (text.endsWith('/') && !text.startsWith('/')),
    'does not end with `/`, or begins with it',
  )
  .refine((text) => !text.includes('//'), 'has an empty label')
export const documentKey = someText(2000)
export const documentValue = z.record(z.string(), z.json())

export const documentBody = z.looseObject({
  folder: folderPath,
  key: documentKey,
  /** False: recall never returns the document. */
  recalled: z.boolean().optional(),
  value: documentValue.refine(
    (value) => utf8Length(JSON.stringify(value)) <= maxDocumentBytes,
    `is larger than ${maxDocumentBytes} bytes`,
  ),
})
export type DocumentBody = z.output<typeof documentBody>

/** Id of a document, and the scope by which a guest reaches it: its folder. */
export function documentName(folder: string, key: string): RecordName {
  return { kind: 'document', id: nameId('document', folder, key), scopes: [`document:${folder}`] }
}

/**
 * Keys of the documents in which the parts of a large value are stored. The value lists them in `$parts`, and
 * each begins with `partMark` (core/text/name-id.ts).
 */
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
  // Concurrent writes are not merged: the last one wins, and the other goes to the conflict log.
  policy: 'last_write_wins',
  // Parts are in the same folder, so that a value can't name documents of another scope. A part has no parts.
  parts: ({ folder, key, value }) =>
    key.startsWith(partMark) ? [] : partKeys(value).map((partKey) => documentName(folder, partKey).id),
  recallable: ({ recalled }) => recalled !== false,
  embeds: ({ recalled }) => recalled !== false,
}

export const documentBase = defineChapterBase({ name: 'document', kinds: [documentKind] })
