// Lists memories, filtered by type, category, status and scope, in the flat form and in the protocol's form.
// Invariant: a guest sees only approved memories, whatever it requests; the port removes what the guest's scope or a
// policy denies.
import type { ReadContext } from '../../../core/capability/context.ts'
import type { RecordPage } from '../../../core/capability/port/record-port.ts'
import { type MemoryType, memoryTypes, scopeMatcher, typeInScope, typeScope } from './category.ts'
import type { Memory, MemoryStatus } from './memory-schema.ts'
import { currentConfidence, needsReview, mayArchive } from './confidence.ts'

/** Uses of a memory on this device. */
export interface MemoryUse {
  readonly count: number
  readonly lastAt: string
}

/** A memory in the flat form. `confidence` and `status` are those of now; `scope`: its labels. */
export interface ListedMemory {
  readonly id: string
  readonly content: string
  readonly category: string
  readonly memory_type: (typeof memoryTypes)[number]
  readonly source: Readonly<Record<string, unknown>>
  readonly confidence: number
  readonly status: MemoryStatus
  readonly sensitivity: string
  readonly scope?: readonly string[]
  readonly tags?: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly consolidatedFrom?: readonly string[]
  /** The confidence is so low that the user should look at the memory. */
  readonly flagged?: true
}

/** Returns a canonical time without its milliseconds if they are `.000`. */
export const withoutZeroMillis = (text: string): string => text.replace(/\.000Z$/, 'Z')

/** Copies `fields`; the times in `names` lose their `.000`. */
function withoutZeroMillisIn(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const plain: Record<string, unknown> = { ...fields }
  for (const name of names) {
    const value = plain[name]
    if (typeof value === 'string') plain[name] = withoutZeroMillis(value)
  }
  return plain
}

const metadataTimes = ['approvedAt', 'archivedAt', 'rejectedAt', 'lastConfirmed', 'lastUsed']

/** True for a record with the fields of a memory. A later version may have stored another shape. */
export function hasMemoryFields(memory: object): memory is Memory {
  const { content, category, memory_type, status, confidence, source, metadata } = memory as Partial<Memory>
  const texts = [content, category, memory_type, status, source?.timestamp, source?.type]
  return (
    texts.every((text) => typeof text === 'string') &&
    typeof confidence === 'number' &&
    typeof metadata === 'object' &&
    metadata !== null
  )
}

/** A memory in flat form, with its type. `now`: canonical time. */
function toListedMemory(memory: Memory, use: MemoryUse | undefined, now: string): ListedMemory {
  const { labels, tags, metadata, source } = memory
  const { agent: _agent, proposal: _proposal, round: _round, ...from } = source
  const used = use ? { useCount: use.count, lastUsed: use.lastAt } : {}
  const { consolidatedFrom } = metadata
  const confidence = currentConfidence(memory, use, now)
  return {
    id: memory.id,
    content: memory.content,
    category: memory.category,
    memory_type: memory.memory_type,
    source: withoutZeroMillisIn(from, ['timestamp']),
    confidence,
    status: memory.status === 'approved' && mayArchive(confidence, memory) ? 'expired' : memory.status,
    sensitivity: memory.sensitivity ?? 'standard',
    ...(labels ? { scope: labels } : {}),
    ...(tags ? { tags } : {}),
    metadata: withoutZeroMillisIn(
      {
        // Decayed: the output also shows the stored confidence, unless the metadata has its own initial one.
        ...(confidence === memory.confidence ? {} : { initialConfidence: memory.confidence }),
        ...metadata,
        ...used,
      },
      metadataTimes,
    ),
    ...(consolidatedFrom ? { consolidatedFrom } : {}),
    ...(memory.status === 'approved' && needsReview(confidence, memory) ? { flagged: true as const } : {}),
  }
}

/** Returns a memory in the protocol's form. It has no type of its own: the list that contains it gives the type. */
function toProfileMemory({ memory_type: _type, flagged: _flagged, ...memory }: ListedMemory): ProfileMemory {
  const { type } = memory.source
  return type === 'proposal' ? { ...memory, source: { ...memory.source, type: 'agent_proposal' } } : memory
}

export type ProfileMemory = Omit<ListedMemory, 'memory_type' | 'flagged'>

interface ProfileDocument {
  readonly id: string
  readonly version: string
  readonly profileType: 'human'
  readonly identity: { readonly did: string }
  readonly memories: Readonly<Record<string, readonly ProfileMemory[]>>
}

/** Version of the profile schema. */
const profileVersion = '0.1.0'

/** The profile document, with a list for each type. */
export function profileDocument(did: string, memory: readonly ListedMemory[]): ProfileDocument {
  const lists = memoryTypes.map((type) => [
    typeScope(type),
    memory.filter(({ memory_type }) => memory_type === type).map(toProfileMemory),
  ])
  return {
    id: did,
    version: profileVersion,
    profileType: 'human',
    identity: { did },
    memories: Object.fromEntries(lists) as ProfileDocument['memories'],
  }
}

type MemoryContext = ReadContext<'records'>

/** Filter over the hot column for a category and everything below it. */
function categoryFilter(category: string): object {
  // `/` is the character after `.`, and `;` the character after `:`, so each range covers one separator.
  const below = [
    ['.', '/'],
    [':', ';'],
  ].map(([from, to]) => ({ category: { gte: `${category}${from}`, lt: `${category}${to}` } }))
  return { or: [{ category }, ...below] }
}

interface MemoryQuery {
  readonly filters?: unknown
  readonly category?: string | undefined
  readonly memory_type?: MemoryType | undefined
  readonly status?: MemoryStatus | undefined
  readonly sensitivity?: string | undefined
  readonly flagged?: true | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A page of memories, newest first. `memories` may be fewer than `page.records`, because some filters apply last. */
export function listMemories(
  at: MemoryContext,
  query: MemoryQuery,
): { page: RecordPage; memories: ListedMemory[] } {
  const { filters, category, memory_type, status, sensitivity, flagged, limit, cursor } = query
  const isGuest = at.call.caller.role === 'guest'
  // `expired` is never stored: it is computed from the clock, for approved memories.
  const storedStatus = isGuest || status === undefined || status === 'expired' ? 'approved' : status
  const conditions = [
    { status: storedStatus },
    ...(category === undefined ? [] : [categoryFilter(category)]),
    ...(memory_type === undefined ? [] : [{ memory_type }]),
    ...(sensitivity === undefined
      ? []
      : [
          sensitivity === 'standard'
            ? { or: [{ sensitivity }, { sensitivity: { exists: false } }] }
            : { sensitivity },
        ]),
    ...(filters === undefined ? [] : [filters]),
  ]
  const page = at.records.query({ kind: 'memory', filters: { and: conditions }, limit, cursor })
  const listed = toListedMemories(at, page.records as unknown as Memory[])
  const memories = listed.filter(
    (memory) => (status !== 'expired' || memory.status === 'expired') && (!flagged || memory.flagged),
  )
  return { page, memories }
}

/** Memories in flat form, with the use counts of this device. Skips records that lack a memory's fields. */
export function toListedMemories(at: MemoryContext, memories: readonly Memory[]): ListedMemory[] {
  const uses: ReadonlyMap<string, MemoryUse> = at.records.uses('memory')
  return memories
    .filter(hasMemoryFields)
    .map((memory) => toListedMemory(memory, uses.get(memory.id), at.call.now))
}

/**
 * The approved memories within any of `scopes` (undefined: all), newest first, at most `maxProfileMemories`. `sealed`:
 * number of locked memories.
 */
export function approvedMemories(
  at: MemoryContext,
  scopes: readonly string[] | undefined,
): { readonly memories: ListedMemory[]; readonly sealed: number } {
  const filters = { and: [{ status: 'approved' }, ...(scopes ? [scopesFilter(scopes)] : [])] }
  const { records, sealed = 0 } = at.records.query({ kind: 'memory', filters, limit: maxProfileMemories })
  const readable = (records as readonly object[]).filter(hasMemoryFields)
  const matchers = scopes?.map(scopeMatcher)
  const within = matchers
    ? readable.filter((memory) => matchers.some((isWithin) => isWithin(memory)))
    : readable
  return { memories: toListedMemories(at, within), sealed }
}

/** Most memories in a profile document; a larger document would not fit into a prompt. */
const maxProfileMemories = 20_000

/**
 * Filter for the categories that equal `category` or continue it with a character up to `:`. It is one range of the
 * index and includes everything below `category`.
 */
const categoryPrefixFilter = (category: string): object => ({
  category: { gte: category, lt: `${category};` },
})

/**
 * Filter over hot columns that admits all memories within `scopes`, and perhaps more: `scopeMatcher` removes those.
 */
function scopesFilter(scopes: readonly string[]): object {
  const filters = scopes.map((scope): object => {
    const stem = scope.replace(/[.:]?\*{1,2}$/, '')
    if (stem === '' || stem === 'a2p') return { status: 'approved' }
    const { type, rest } = typeInScope(stem)
    if (type === undefined) return categoryPrefixFilter(stem)
    const typeFilter =
      rest === undefined
        ? { memory_type: type }
        : { and: [{ memory_type: type }, categoryPrefixFilter(`a2p:${rest}`)] }
    return { or: [typeFilter, categoryPrefixFilter(stem)] }
  })
  return { or: filters }
}
