// A memory as others know it: flat as people write it, and as the protocol's schema has it in the profile document.
// Pure: doors and verbs say the same of the same record.
import { memoryTypes, typeScope } from './category.ts'
import { currentConfidence, isDoubtful, isWornOut } from './confidence.ts'
import type { Memory, MemoryStatus } from './memory-schema.ts'

/** How often a memory was of use on this device, and when last. */
export interface Use {
  readonly count: number
  readonly last_at: string
}

export interface ToldMemory {
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
  /** Its confidence has fallen so far that the user should look at it. */
  readonly flagged?: true
}

/** An instant as people write it: without thousandths that say nothing. */
export const plainTime = (text: string): string => text.replace(/\.000Z$/, 'Z')

/** `fields` with those of `names` as people write them. */
function plainTimes(
  fields: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const told: Record<string, unknown> = { ...fields }
  for (const name of names) {
    const value = told[name]
    if (typeof value === 'string') told[name] = plainTime(value)
  }
  return told
}

const metadataTimes = ['approvedAt', 'archivedAt', 'rejectedAt', 'lastConfirmed', 'lastUsed']

/** True for a record that says what is told of a memory. Another may have been written by a later version. */
export function isTellable(memory: object): memory is Memory {
  const { content, category, memory_type, status, confidence, source, metadata } = memory as Partial<Memory>
  const texts = [content, category, memory_type, status, source?.timestamp, source?.type]
  return (
    texts.every((one) => typeof one === 'string') &&
    typeof confidence === 'number' &&
    typeof metadata === 'object' &&
    metadata !== null
  )
}

/** A memory flat, with its type beside it. `now`: canonical time. */
export function tellMemory(memory: Memory, use: Use | undefined, now: string): ToldMemory {
  const { labels, tags, metadata, source } = memory
  const { agent: _agent, proposal: _proposal, round: _round, ...from } = source
  const used = use ? { useCount: use.count, lastUsed: use.last_at } : {}
  const { consolidatedFrom } = metadata
  const confidence = currentConfidence(memory, use, now)
  return {
    id: memory.id,
    content: memory.content,
    category: memory.category,
    memory_type: memory.memory_type,
    source: plainTimes(from, ['timestamp']),
    confidence,
    status: memory.status === 'approved' && isWornOut(confidence, memory) ? 'expired' : memory.status,
    sensitivity: memory.sensitivity ?? 'standard',
    ...(labels ? { scope: labels } : {}),
    ...(tags ? { tags } : {}),
    metadata: plainTimes(
      {
        ...(confidence === memory.confidence ? {} : { initialConfidence: memory.confidence }),
        ...metadata,
        ...used,
      },
      metadataTimes,
    ),
    ...(consolidatedFrom ? { consolidatedFrom } : {}),
    ...(memory.status === 'approved' && isDoubtful(confidence, memory) ? { flagged: true as const } : {}),
  }
}

/** The same as the protocol's schema has it: its type is the list that it stands in. */
export function schemaMemory({ memory_type: _type, flagged: _flagged, ...told }: ToldMemory): ProfileMemory {
  const { type } = told.source
  return type === 'proposal' ? { ...told, source: { ...told.source, type: 'agent_proposal' } } : told
}

export type ProfileMemory = Omit<ToldMemory, 'memory_type' | 'flagged'>

export interface ProfileDocument {
  readonly id: string
  readonly version: string
  readonly profileType: 'human'
  readonly identity: { readonly did: string }
  readonly memories: Readonly<Record<string, readonly ProfileMemory[]>>
}

/** The version of the profile's schema. */
export const profileVersion = '0.1.0'

/** The document of whoever the book is about, with a list for each type. */
export function profileDocument(did: string, told: readonly ToldMemory[]): ProfileDocument {
  const lists = memoryTypes.map((type) => [
    typeScope(type),
    told.filter(({ memory_type }) => memory_type === type).map(schemaMemory),
  ])
  return {
    id: did,
    version: profileVersion,
    profileType: 'human',
    identity: { did },
    memories: Object.fromEntries(lists) as ProfileDocument['memories'],
  }
}
