// Documents of any size for adapters. A large document is split: its parts are documents in the same folder, so the
// same scope covers them.
// Invariant: a document and its parts are written and removed together.
import { textPieces } from '../../core/text/text-pieces.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import type { CapabilityInput, CapabilityOutput, Daybook } from '../../book/daybook.ts'
import { defined } from '../../core/defined.ts'
import type { Filters } from '../../core/filter/filter.ts'
import { isDaybookError } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/path.ts'
import { partMark, partsField } from '../../core/text/name-id.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { parseJson } from './foreign-value.ts'

/** `value` null removes the document. `ifMatch`: its required `etag`; null: the document must not exist. */
type Change = CapabilityInput<'document:write'>['changes'][number]
type ListedDocument = Omit<PartedDocument, 'value' | 'parts'> & { readonly value: object }

export interface DocumentName {
  readonly folder: string
  readonly key: string
}
/** A document with its whole value, parts joined. */
export interface PartedDocument extends DocumentName {
  readonly value: JsonObject
  readonly etag: string
  readonly created_at: string
  readonly updated_at: string
  /** The keys of its parts. Absent: the document has no parts. */
  readonly parts?: readonly string[]
}
/**
 * `before`: the document as read before the change. Absent: `write` reads the earlier parts itself. `texts`: recall
 * finds the document by these texts, and by no other text of its value.
 */
export type PartedChange = Change & { readonly before?: PartedDocument; readonly texts?: readonly string[] }

/** `filters` and `orderBy`: as of `documents.list`. The parts of large values need not match `filters`. */
interface DocumentQuery {
  readonly folder: string
  readonly deep?: boolean
  readonly filters?: Filters
  readonly orderBy?: string
  readonly pageSize?: number
}

/** Maximum bytes of a value without parts. A book allows 1,800,000 bytes, including some overhead. */
const maxWholeBytes = 1_700_000
/** UTF-16 units of a part. A unit takes at most three bytes in UTF-8; an escaped quotation mark takes two units. */
const maxPartLength = 400_000
/** Limits of one call of `documents.write`. */
const maxPerCall = { characters: 16_000_000, changes: 5000 } as const
/**
 * Prefix of the keys of parts. A part is the document `{ $part: text }`. Another key that begins with this
 * prefix gets it twice.
 */
const partKeyPrefix = partMark
/** Field of a split document with the first piece of its text; `partsField` has the keys of the other pieces. */
const firstPartField = '$first'
/** Field of a part that recall finds in place of its document: the key of the document. */
const documentField = '$of'
/** True for a value in parts, and for a part that recall finds: filters of the whole value don't apply to them. */
export const hasParts: readonly Filters[] = [partsField, documentField].map((name) => ({
  [`value.${name}`]: { exists: true },
}))

export class PartedDocuments {
  readonly #documents: Daybook['documents']

  constructor(documents: Daybook['documents']) {
    this.#documents = documents
  }

  async read({ folder, key }: DocumentName): Promise<PartedDocument | undefined> {
    const found = await this.#documents.read({ folder, key: toStoredKey(key) })
    return found ? this.#joinParts(found, new Map()) : undefined
  }

  /**
   * Lists the documents of a folder. `deep`: with subfolders; default: true. `pageSize`: documents per call; default
   * and maximum: 1,000. Skips a document with a missing or invalid part, and calls `onUnreadable` with its name.
   */
  async *list(
    query: DocumentQuery,
    onUnreadable: (name: DocumentName) => void = () => undefined,
  ): AsyncGenerator<PartedDocument> {
    const { deep = true, pageSize = 1000, ...others } = query
    let cursor: string | undefined
    do {
      const page: CapabilityOutput<'document:list'> = await this.#documents.list({
        ...others,
        deep,
        limit: Math.max(1, Math.min(1000, pageSize)),
        ...defined({ cursor }),
      })
      const parts = new Map<string, string>()
      for (const { folder: partFolder, key, value } of page.documents)
        if (isPartKey(key) && typeof value['$part'] === 'string') parts.set(partFolder + key, value['$part'])
      for (const document of page.documents) {
        if (isPartKey(document.key)) continue
        const joinedDocument = await this.#joinParts(document, parts)
        if (joinedDocument) yield joinedDocument
        else onUnreadable({ folder: document.folder, key: fromStoredKey(document.key) })
      }
      cursor = page.cursor
    } while (cursor !== undefined)
  }

  /**
   * Returns the document of a recalled document or part, with its whole value. Undefined: there is no such document, or a
   * part of it is missing or invalid.
   */
  async whole(recalled: ListedDocument): Promise<PartedDocument | undefined> {
    if (!isPartKey(recalled.key)) return this.#joinParts(recalled, new Map())
    const key = (recalled.value as JsonObject)[documentField]
    if (typeof key !== 'string') return undefined
    const document = await this.read({ folder: recalled.folder, key })
    return document?.parts?.includes(recalled.key) ? document : undefined
  }

  /** Writes all changes or none, like `documents.write`. */
  async write(changes: readonly PartedChange[]): Promise<void> {
    const all: Change[] = []
    for (const one of changes) all.push(...(await this.#toChanges(one)))
    await this.#documents.write({ changes: all })
  }

  /** Returns the changes for one document: write the document and its parts, and delete its earlier parts. */
  async #toChanges({ before: knownDocument, texts, ...change }: PartedChange): Promise<Change[]> {
    const { folder = '', value } = change
    const key = toStoredKey(change.key)
    const documentChange = texts ? { ...change, key, recalled: false } : { ...change, key }
    const split = value === null ? undefined : splitValue({ folder, key }, value as JsonObject, texts)
    // A new document has no earlier parts.
    const isNew = change.ifMatch === null && value !== null
    const earlierPartKeys = isNew
      ? []
      : knownDocument
        ? (knownDocument.parts ?? [])
        : await this.#readPartKeys(folder, key)
    const deletions = earlierPartKeys
      .filter((one) => split?.parts.every((part) => part.key !== one) ?? true)
      .map((one): Change => ({ folder, key: one, value: null }))
    if (!split) return [documentChange, ...deletions]
    return [{ ...documentChange, value: split.head as Change['value'] }, ...split.parts, ...deletions]
  }

  async #readPartKeys(folder: string, key: string): Promise<readonly string[]> {
    try {
      const found = await this.#documents.read({ folder, key })
      return (found && partKeysOf(found.value as JsonObject)) ?? []
    } catch (error) {
      // The caller may not read: earlier parts stay.
      if (isDaybookError(error, 'forbidden')) return []
      throw error
    }
  }

  async #joinParts(
    document: ListedDocument,
    parts: ReadonlyMap<string, string>,
  ): Promise<PartedDocument | undefined> {
    const { folder } = document
    const value = document.value as JsonObject
    const keys = partKeysOf(value)
    const { etag, created_at, updated_at } = document
    const metadata = { folder, key: fromStoredKey(document.key), etag, created_at, updated_at }
    if (!keys) return { ...metadata, value }
    let text = String(value[firstPartField])
    for (const key of keys) {
      const part = parts.get(folder + key) ?? (await this.#documents.read({ folder, key }))?.value['$part']
      if (typeof part !== 'string') return undefined
      text += part
    }
    const joined = parseJson(text)
    return isJsonObject(joined) ? { ...metadata, value: joined, parts: keys } : undefined
  }
}

/** Decodes a label of a folder; undefined for a foreign label that is not encoded as a URI component. */
export function decodeLabel(label: string): string | undefined {
  try {
    return decodeURIComponent(label)
  } catch {
    return undefined
  }
}

/** Splits `changes` into batches within `maxPerCall`. A larger change is a batch of its own. */
export function splitIntoCalls<One extends Change>(changes: readonly One[]): One[][] {
  const batches: One[][] = []
  let charactersLeft = 0
  for (const change of changes) {
    const length = JSON.stringify(change).length
    const lastBatch = batches.at(-1)
    if (lastBatch && length <= charactersLeft && lastBatch.length < maxPerCall.changes) lastBatch.push(change)
    else {
      batches.push([change])
      charactersLeft = maxPerCall.characters
    }
    charactersLeft -= length
  }
  return batches
}

const isPartKey = (key: string) =>
  key.startsWith(partKeyPrefix) && !key.startsWith(partKeyPrefix + partKeyPrefix)
const toStoredKey = (key: string) => (key.startsWith(partKeyPrefix) ? partKeyPrefix + key : key)
const fromStoredKey = (key: string) =>
  key.startsWith(partKeyPrefix + partKeyPrefix) ? key.slice(partKeyPrefix.length) : key

/** Returns the keys of the parts. Undefined: the value has no parts. */
function partKeysOf(value: JsonObject): readonly string[] | undefined {
  const keys = value[partsField]
  const isHead =
    Object.keys(value).length === 2 && Array.isArray(keys) && typeof value[firstPartField] === 'string'
  return isHead && keys.every((key) => typeof key === 'string') ? (keys as string[]) : undefined
}

/**
 * Splits a value into the value of its document (`head`) and its parts. Also splits a small value that looks
 * like one with parts. The keys of the parts contain a hash of the text, so a changed value has other parts. `texts`:
 * of a part that recall finds, which adds nothing to the value.
 */
function splitValue(
  { folder, key }: DocumentName,
  value: JsonObject,
  texts?: readonly string[],
): { head: JsonObject; parts: Change[] } {
  const text = JSON.stringify(value)
  const isWhole = text.length <= maxWholeBytes && utf8Length(text) <= maxWholeBytes
  if (isWhole && !partKeysOf(value) && !texts) return { head: value, parts: [] }
  const [first = '', ...rest] = textPieces(text, maxPartLength)
  const hash = hashOf(`${folder}\n${key}\n${text}`)
  const parts = rest.map((part, i): Change => ({
    folder,
    key: `${partKeyPrefix}${hash} ${i + 1}`,
    value: { $part: part },
    recalled: false,
  }))
  if (texts) {
    const found = {
      $part: '',
      [documentField]: fromStoredKey(key),
      $: textPieces(texts.join('\n'), maxPartLength)[0] ?? '',
    }
    parts.push({ folder, key: `${partKeyPrefix}${hash} 0`, value: found, recalled: true })
  }
  return { head: { [partsField]: parts.map((part) => part.key) as Json, [firstPartField]: first }, parts }
}

function hashOf(text: string): string {
  return Array.from(sha256(new TextEncoder().encode(text)).slice(0, 16), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
