// Reads and writes memories as records. A caller that changes `content` must pass the metadata of `metadataWithEdit`: the
// protocol requires the author, the time and the earlier content in the history.
import type { WriteContext } from '../../../core/capability/context.ts'
import { needUnderstood } from '../../../core/capability/understood.ts'
import { notFound } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf, type Stored } from '../../../core/record.ts'
import type { Sensitivity } from '../../../core/sealed.ts'
import { memoryKind } from './memory-kind.ts'
import type { Memory, MemoryBody } from './memory-schema.ts'

export type MemoryRecords = WriteContext<'records'>['records']

/** Most edits stored with a memory; the book's own history has all of them. */
const maxEdits = 50

/** Returns `record` if it is a memory; else undefined. Doesn't check its fields. */
export function asMemory(record: Stored<JsonObject> | undefined): Memory | undefined {
  return record?.kind === 'memory' ? (record as unknown as Memory) : undefined
}

export const memoryNotFound = (id: string, path = 'id') => notFound('memory', id, path)

/**
 * Returns the memory `id`. Throws `not-found` if the caller sees no such memory, `record-newer` if a later version
 * wrote it.
 */
export function requireMemory(
  { get }: { get(id: string): Stored<JsonObject> | undefined },
  id: string,
  path = 'id',
): Memory {
  const memory = asMemory(get(id))
  if (!memory) throw memoryNotFound(id, path)
  needUnderstood(memoryKind, memory)
  return memory
}

/** Fields of a memory outside its body. An absent field stays as it is. */
export interface PutMemoryOptions {
  readonly sensitivity?: Sensitivity | undefined
  readonly session?: string | undefined
  /** True for the upkeep by the book itself: no person decided the change. */
  readonly upkeep?: boolean
}

/**
 * Writes the memory and returns its id. The JSON copy drops undefined fields: so a caller removes a field.
 */
export function putMemory(
  records: MemoryRecords,
  id: string,
  body: MemoryBody,
  options: PutMemoryOptions = {},
): string {
  const { upkeep, ...scope } = options
  const givenScope = Object.entries(scope).filter(([, value]) => value !== undefined)
  return records.put({
    kind: 'memory',
    id,
    body: JSON.parse(JSON.stringify(body)) as JsonObject,
    ...(givenScope.length > 0 ? { scope: Object.fromEntries(givenScope) } : {}),
    ...(upkeep ? { upkeep } : {}),
  })
}

export function bodyOfMemory(memory: Memory): MemoryBody {
  return bodyOf(memory) as unknown as MemoryBody
}

/**
 * Returns metadata with one more edit: author, time and earlier content. Keeps the first edit and the latest ones.
 */
export function metadataWithEdit(
  { metadata, content }: Pick<MemoryBody, 'metadata' | 'content'>,
  editedBy: string,
  editedAt: string,
): MemoryBody['metadata'] {
  const { editHistory: [first, ...later] = [] } = metadata
  const edit = { editedAt, previousContent: content, editedBy }
  // The first edit stays, because its position identifies the words of a proposal: see memory-kind.ts.
  const editHistory = first ? [first, ...[...later, edit].slice(1 - maxEdits)] : [edit]
  return { ...metadata, editHistory }
}
