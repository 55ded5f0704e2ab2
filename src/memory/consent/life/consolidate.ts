// One memory in the place of several. The others are out of recall as long as it stands, stay reachable, and come back when
// it is forgotten. Invariant: two devices that make one of the same memories make the same record.
import { DaybookError } from '../../../core/errors.ts'
import { isLowered, type Sensitivity } from '../../../core/sealed.ts'
import { nameHash } from '../../../core/text/murmur.ts'
import { contentLimit, type Memory, type MemoryBody } from '../memory/memory-schema.ts'

const wrong = (path: string, message: string, details: object = {}) =>
  new DaybookError('invalid-input', `\`${path}\`: ${message}.`, { details: { path, ...details } })

/** What one memory made of these would be, but for its own words about itself. */
export interface Consolidation {
  readonly content: string
  readonly category: string
  readonly memory_type: Memory['memory_type']
  readonly confidence: number
  readonly labels: string[] | undefined
  readonly tags: string[] | undefined
  readonly sensitivity: Sensitivity
}

/** Throws for memories that are no one thing: of several types, or, unless the owner says so, of several categories. */
export function consolidation(
  memories: readonly Memory[],
  content: string | undefined,
  mayCross: boolean,
): Consolidation {
  const [first, ...others] = memories
  if (!first || others.length === 0) throw wrong('ids', 'At least two memories are wanted')
  memories.forEach(({ status }, i) => {
    if (status !== 'approved') throw wrong(`ids.${i}`, `It is ${status}, not approved`)
  })
  if (others.some((one) => one.memory_type !== first.memory_type))
    throw wrong('ids', 'They are of different types, which are never made one')
  if (!mayCross && others.some((one) => one.category !== first.category)) {
    throw new DaybookError('forbidden', 'Only the owner makes one memory of several categories.', {
      details: { path: 'ids' },
    })
  }
  const text = content ?? joined(memories)
  if (Array.from(text).length > contentLimit)
    throw wrong('content', `Together they are longer than ${contentLimit} characters: say it shorter`)
  const union = (lists: readonly (readonly string[] | undefined)[]) => {
    const all = [...new Set(lists.flatMap((list) => list ?? []))].slice(0, 50)
    return all.length > 0 ? all : undefined
  }
  return {
    content: text,
    category: commonCategory(memories),
    memory_type: first.memory_type,
    // No more sure than the least sure of them.
    confidence: Math.min(...memories.map(({ confidence }) => confidence)),
    labels: union(memories.map(({ labels }) => labels)),
    tags: union(memories.map(({ tags }) => tags)),
    sensitivity: memories
      .map(({ sensitivity = 'standard' }) => sensitivity)
      .reduce((most, one) => (isLowered(most, one) ? one : most)),
  }
}

/** What all of them say, each once, in the order of their ids so that every device says the same. */
function joined(memories: readonly Memory[]): string {
  const sorted = memories.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return [...new Set(sorted.map(({ content }) => content.trim()))].join('\n')
}

/** The category that all of them lie in: what their categories begin with, else that of the first by id. */
function commonCategory(memories: readonly Memory[]): string {
  const [first = '', ...others] = memories
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ category }) => category)
  const parts = first.split('.')
  for (let length = parts.length; length > 0; length--) {
    const stem = parts.slice(0, length).join('.')
    if (others.every((one) => one === stem || one.startsWith(`${stem}.`))) return stem
  }
  return first
}

/** The id of the memory that is made of those: whoever makes it. */
export function consolidatedId(ids: readonly string[]): string {
  return `mem_${nameHash('consolidated', ...ids.toSorted())}`
}

/** The body of a memory that the owner makes of several. */
export function consolidatedBody(made: Consolidation, ids: readonly string[], now: string): MemoryBody {
  const { sensitivity: _sensitivity, ...said } = made
  const sorted = ids.toSorted()
  return {
    ...said,
    status: 'approved',
    source: { type: 'system_derived', timestamp: now },
    metadata: {
      approvedAt: now,
      initialConfidence: made.confidence,
      consolidatedFrom: sorted,
      mergedFrom: sorted,
    },
    supersedes: sorted,
  }
}
