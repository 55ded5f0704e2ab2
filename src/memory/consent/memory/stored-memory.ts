// A memory as it is read from the book and written into it. Invariant: whoever writes one says when and why; what it said
// before is in its history, as the protocol tells it.
import type { OwnWriter } from '../../../core/capability/port/own-port.ts'
import type { WriteContext } from '../../../core/capability/context.ts'
import { needUnderstood } from '../../../core/capability/understood.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf, type Stored } from '../../../core/record.ts'
import type { Sensitivity } from '../../../core/sealed.ts'
import { memoryKind } from './memory-kind.ts'
import type { Memory, MemoryBody } from './memory-schema.ts'

export type Records = WriteContext<'records'>['records']
export type Own = OwnWriter

/** Earlier contents that are kept with a memory; the book's own history has all of them. */
const editLimit = 50

export function asMemory(record: Stored<JsonObject> | undefined): Memory | undefined {
  return record?.kind === 'memory' ? (record as unknown as Memory) : undefined
}

export const noMemory = (id: string, path = 'id') =>
  new DaybookError('not-found', `There is no memory \`${id}\`.`, { details: { path } })

/** The memory of this id, in a shape that this code understands; `not-found` when the caller sees none. */
export function needMemory(
  { get }: { get(id: string): Stored<JsonObject> | undefined },
  id: string,
  path = 'id',
): Memory {
  const memory = asMemory(get(id))
  if (!memory) throw noMemory(id, path)
  needUnderstood(memoryKind, memory)
  return memory
}

/** What is said of a memory beside its body. */
export interface Put {
  readonly sensitivity?: Sensitivity | undefined
  readonly session?: string | undefined
  /** The book itself does this, whoever's engine it is: nobody decides by it. */
  readonly upkeep?: boolean
}

export function putMemory(records: Records, id: string, body: MemoryBody, said: Put = {}): string {
  const { upkeep, ...scope } = said
  const given = Object.entries(scope).filter(([, value]) => value !== undefined)
  return records.put({
    kind: 'memory',
    id,
    body: JSON.parse(JSON.stringify(body)) as JsonObject,
    ...(given.length > 0 ? { scope: Object.fromEntries(given) } : {}),
    ...(upkeep ? { upkeep } : {}),
  })
}

/** The body of `memory`, to be changed. */
export function bodyOfMemory(memory: Memory): MemoryBody {
  return bodyOf(memory) as unknown as MemoryBody
}

/** Who changed what it said, when, and what it said before; the first and the latest of them. */
export function withEdit(
  { metadata, content }: Pick<MemoryBody, 'metadata' | 'content'>,
  editedBy: string,
  editedAt: string,
): MemoryBody['metadata'] {
  const { editHistory: [first, ...later] = [] } = metadata
  const edit = { editedAt, previousContent: content, editedBy }
  // The first stays, by whose place it is known what a proposal said: see proposal-words.ts.
  const editHistory = first ? [first, ...[...later, edit].slice(1 - editLimit)] : [edit]
  return { ...metadata, editHistory }
}
