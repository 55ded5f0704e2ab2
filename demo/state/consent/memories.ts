// Memories by status, type and category, as the address narrows them, and acts on them.
// Invariants: a change updates memories in place, new ones are counted and wait; each act that the engine can undo offers it.
import { attempt, book, onBook, openedBook } from '../book.ts'
import { tell, undo } from '../../page/toast.ts'
import { createReader, defined } from '../reading.ts'
import { computed, effect, signal } from '@preact/signals'
import type { CapabilityInput, CapabilityOutput, Daybook } from '../../../src/index.ts'
import { address, chipOf } from '../address.ts'
import { held, onLocked } from '../held.ts'
import { type WithSeen, withSeen } from '../record/secret.ts'
import { countOf } from '../../wording/text-word.ts'

export type Memory = WithSeen<CapabilityOutput<'a2p:query_memories'>['memories'][number]>

interface Listed {
  readonly memories: readonly Memory[]
  readonly cursor: string | undefined
  readonly sealed: number
}

export const listed = held<Listed | undefined>(undefined, ['memories'])
export const memoriesFailure = signal<unknown>(undefined)
/** New memories since the list was read. */
export const freshCount = signal(0)
/** The memory in the dialog, or `new`. */
export const editing = signal<Memory | 'new' | undefined>(undefined)
export const forgetting = signal<Memory | undefined>(undefined)

const pageSize = 100

type Query = NonNullable<CapabilityInput<'a2p:query_memories'>>

const query = computed((): Query => {
  const [type, category] = [chipOf('type'), chipOf('category')]
  const chosen = chipOf('status') ?? 'approved'
  return {
    ...(chosen === 'flagged'
      ? { status: 'approved' as const, flagged: true as const }
      : { status: chosen as NonNullable<Query['status']> }),
    ...(type === undefined ? {} : { memory_type: type as NonNullable<Query['memory_type']> }),
    ...defined({ category }),
  }
})

async function readPage(from: Daybook, limit: number, cursor?: string): Promise<Listed> {
  const {
    memories,
    cursor: next,
    sealed = 0,
  } = await from.memories.query({
    ...query.peek(),
    limit,
    ...defined({ cursor }),
  })
  return { memories: await withSeen(from, memories), cursor: next, sealed }
}

const read = createReader(memoriesFailure)
const show = (found: Listed) => void (listed.value = found)

let fullLoads = 0

export async function loadMemories(): Promise<void> {
  freshCount.value = 0
  fullLoads += 1
  await read((from) => readPage(from, pageSize), show)
  fullLoads -= 1
}

export async function loadMore(): Promise<void> {
  const before = listed.peek()
  if (before?.cursor === undefined) return
  await read(async (from) => {
    const more = await readPage(from, pageSize, before.cursor)
    return { ...more, memories: [...before.memories, ...more.memories] }
  }, show)
}

/** Reads the listed memories again; new ones are only counted. */
async function refresh(): Promise<void> {
  const before = listed.peek()
  // A change that arrives during a full load must not hide the new memory that the load would show.
  if (fullLoads > 0 || !before || before.memories.length === 0) return loadMemories()
  const limit = Math.min(Math.max(before.memories.length, pageSize), 1000)
  await read(
    (from) => readPage(from, limit),
    (found) => {
      const ids = new Set(before.memories.map(({ id }) => id))
      const current = new Map(found.memories.map((one) => [one.id, one]))
      freshCount.value = found.memories.filter(({ id }) => !ids.has(id)).length
      show({ ...found, memories: before.memories.flatMap(({ id }) => current.get(id) ?? []) })
    },
  )
}

type Store = CapabilityInput<'a2p:store_memory'>
type Edit = CapabilityInput<'a2p:edit_memory'>

/** Stores or changes a memory. */
export async function saveMemory(input: { store: Store } | { edit: Edit }): Promise<void> {
  const { memories } = await openedBook()
  await ('store' in input ? memories.store(input.store) : memories.edit(input.edit))
  editing.value = undefined
  tell('store' in input ? 'Memory added.' : 'Memory changed.')
  await loadMemories()
}

export async function archiveMemory({ id }: Pick<Memory, 'id'>, archived: boolean): Promise<void> {
  await attempt(
    archived ? 'The memory was not archived.' : 'The memory was not restored.',
    async ({ memories }) => {
      await memories.archive({ id, archived })
      tell(
        archived ? 'Archived. It is kept, but no longer recalled.' : 'Restored.',
        undo(() => archiveMemory({ id }, !archived)),
      )
      await refresh()
    },
  )
}

export async function forgetMemory({ id }: Memory): Promise<void> {
  forgetting.value = undefined
  await attempt('The memory was not forgotten.', async ({ memories }) => {
    await memories.forget({ id })
    tell('Memory forgotten.')
    await refresh()
  })
}

effect(() => {
  void query.value
  if (address.value.view === 'memories' && book.value) void loadMemories()
})
onBook('change', ({ kinds }) => {
  if (address.peek().view === 'memories' && kinds.includes('memory')) void refresh()
})
onLocked(() => {
  editing.value = undefined
  forgetting.value = undefined
})

export type Similar = CapabilityOutput<'a2p:find_similar'>['similar'][number]
type Classed = CapabilityOutput<'a2p:classify'>

/** The memory in the dialog of similar ones, and in that of types. */
export const comparing = signal<Memory | undefined>(undefined)
export const classing = signal<Memory | undefined>(undefined)

/** The progress of the maintenance; undefined while none runs. */
export const upkeep = signal<{ readonly done: number; readonly total: number } | undefined>(undefined)

export async function findSimilar({ id }: Memory) {
  const from = await openedBook()
  const found = await from.memories.similar({ id, limit: 20 })
  const seen = await withSeen(
    from,
    found.similar.map(({ memory }) => memory),
  )
  return { ...found, similar: found.similar.map((one, i) => ({ ...one, memory: seen[i] ?? one.memory })) }
}

/** Merges memories into one. */
export async function consolidate(ids: string[], content: string): Promise<void> {
  const { memories } = await openedBook()
  const { id } = await memories.consolidate({ ids, content })
  comparing.value = undefined
  tell(
    `Merged ${ids.length} memories into one. Forget it to restore them.`,
    undo(() => split(id)),
  )
  await loadMemories()
}

const split = (id: string) =>
  attempt('The merge could not be undone.', async ({ memories }) => {
    await memories.forget({ id })
    tell('Original memories restored.')
    await loadMemories()
  })

/** Gives a memory another type or category. */
export async function reclassify(
  { id, memory_type, category }: Memory,
  change: Pick<CapabilityInput<'a2p:reclassify'>, 'memory_type' | 'category' | 'reason'>,
): Promise<void> {
  const { memories } = await openedBook()
  await memories.reclassify({ id, ...change })
  classing.value = undefined
  const before = { id, memory_type, category, reason: 'Undone by the user.' } as const
  tell(
    'Type and category changed.',
    undo(() => attempt('The change could not be undone.', () => memories.reclassify(before))),
  )
}

/** The type that the text suggests. */
export async function suggestType({ content, category, sensitivity }: Memory): Promise<Classed> {
  const level = sensitivity as NonNullable<CapabilityInput<'a2p:classify'>['sensitivity']>
  return (await openedBook()).memories.classify({ content, category, sensitivity: level })
}

export const confirmMemory = ({ id }: Memory) =>
  attempt('The memory was not confirmed.', async ({ memories }) => {
    await memories.edit({ id, confirmed: true })
    tell('Confirmed. Its confidence was reset.')
  })

/** Runs the daily maintenance now. */
export async function maintain(): Promise<void> {
  if (upkeep.peek()) return
  upkeep.value = { done: 0, total: 0 }
  await attempt('Maintenance failed.', async ({ memories }) => {
    const { promoted, flagged, archived } = await memories.maintain()
    const parts = [
      promoted > 0 && `${countOf(promoted, 'episode')} became semantic`,
      flagged > 0 && `${countOf(flagged, 'memory', 'memories')} to review`,
      archived > 0 && `${archived} archived, which can be restored`,
    ].filter((part) => part !== false)
    tell(parts.length > 0 ? `Maintenance done: ${parts.join('; ')}.` : 'Nothing to do.')
  })
  upkeep.value = undefined
}

onBook('progress', ({ capability, done, total }) => {
  if (capability === 'a2p:maintain' && upkeep.peek()) upkeep.value = { done, total: total ?? done }
})
onLocked(() => {
  comparing.value = undefined
  classing.value = undefined
})
